import type { KubeObject, ResourceType, WatchEvent } from '../schema/object.ts';
import type { KubeClient, WatchOptions } from './client.ts';
import type { Clock } from './clock.ts';

export interface WatchConnection<T extends KubeObject> {
  client: Pick<KubeClient, 'watch'>;
  type: ResourceType;
  parameters: WatchOptions & { signal: AbortSignal };
  clock: Clock;
  silenceMs: number;
  /** Called on every sign of life: accepted, event, bookmark. */
  onContact(): void;
  onEvent(event: WatchEvent<T>): void;
}

/** Follows one watch until the server ends it. Throws when it breaks, and `SilentWatch` when nothing came for too long. */
export async function followWatch<T extends KubeObject>(connection: WatchConnection<T>): Promise<void> {
  const { client, type, parameters, clock, silenceMs } = connection;
  const cut = new AbortController();
  const end = () => cut.abort(parameters.signal.reason);
  parameters.signal.addEventListener('abort', end);
  let cancelAlarm: (() => void) | undefined;
  const armAlarm = () => {
    cancelAlarm?.();
    cancelAlarm = clock.after(silenceMs, () => cut.abort(new SilentWatch(silenceMs)));
  };
  const heard = () => {
    armAlarm();
    connection.onContact();
  };
  armAlarm();
  try {
    for await (const event of client.watch<T>(type, { ...parameters, signal: cut.signal, onOpen: heard })) {
      heard();
      connection.onEvent(event);
    }
  } finally {
    cancelAlarm?.();
    parameters.signal.removeEventListener('abort', end);
  }
}

export class SilentWatch extends Error {
  constructor(milliseconds: number) {
    super(`the watch was silent for ${milliseconds} ms`);
    this.name = 'SilentWatch';
  }
}
