import { applyLiveEvent, type LiveEvent, type LiveState } from '@berth/core/live';
import type { Message, SseClient } from './sse-client.ts';

/** What a page does: applies events to its state, and comes back with the last id after each lost connection. */
export interface LiveClient {
  connect(): Promise<void>;
  reconnect(): Promise<void>;
  /** Waits for such an event on the connection that there is now, then closes it and applies everything. */
  waitFor(fits: (event: LiveEvent) => boolean): Promise<void>;
  state(): LiveState;
  /** Events that came twice, or out of order. */
  problems: string[];
}

export function createLiveClient(open: (position: number | undefined) => Promise<SseClient<LiveEvent>>): LiveClient {
  let state: LiveState = { deployments: [], activity: [] };
  let position: number | undefined;
  let stream: SseClient<LiveEvent> | undefined;
  const told = new Set<number>();
  const problems: string[] = [];

  function check({ id, event }: Message<LiveEvent>): void {
    if (event.type === 'snapshot') told.clear();
    if (event.type === 'snapshot' || event.type === 'resumed') return;
    if (id !== undefined && id <= (position ?? -1)) problems.push(`position ${id} after ${position}`);
    if (event.type !== 'activity') return;
    if (told.has(event.activity.id)) problems.push(`activity ${event.activity.id} twice`);
    told.add(event.activity.id);
  }

  async function close(): Promise<void> {
    stream?.drop();
    await stream?.ended;
    for (const message of stream?.messages ?? []) {
      check(message);
      position = message.id ?? position;
      state = applyLiveEvent(state, message.event);
    }
    stream = undefined;
  }

  async function connect(): Promise<void> {
    stream = await open(position);
  }

  return {
    connect,
    async reconnect() {
      await close();
      await connect();
    },
    async waitFor(fits) {
      await stream?.next(fits);
      await close();
    },
    state: () => state,
    problems,
  };
}
