import { openSupervisorChannel, type Parent, type SupervisorChannel } from './supervisor-channel.ts';

/** What a process of Berth runs, from the moment that it works until it has stopped. */
export interface Service {
  /** In order: what is in flight is finished. */
  stop(): Promise<void>;
  /** Without grace; the process ends when it resolves. */
  stopNow?(): Promise<void>;
}

export interface ServiceHost {
  recordFile: string | undefined;
  parent: Parent | undefined;
  exit(code: number): void;
  onSignal(signal: NodeJS.Signals, listener: () => void): void;
}

/** A failure that starting again would only repeat: it ends in front of the person, as a sentence. */
export class HopelessError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'HopelessError';
  }
}

/** What a service is started with. */
export interface ServiceControl {
  channel: SupervisorChannel;
  /** Aborts when it is told to stop before it has started: whoever waits for something then throws. */
  stopping: AbortSignal;
}

/**
 * Runs one service: starts it when the supervisor says so, and stops it on SIGTERM, on SIGINT, or when the supervisor is gone. A
 * second signal wants it faster.
 */
export async function runService(
  host: ServiceHost,
  start: (control: ServiceControl) => Promise<Service>,
): Promise<void> {
  const stopping = new AbortController();
  let state: 'waiting' | 'starting' | 'running' | 'stopping' = 'waiting';
  let stopAsked = false;
  let service: Service | undefined;
  const channel = openSupervisorChannel({ ...host, onLost: () => stop() });
  host.onSignal('SIGTERM', () => stop());
  host.onSignal('SIGINT', () => stop());
  // A terminal that closes ends the supervisor, and that is heard of.
  host.onSignal('SIGHUP', () => undefined);

  function stop(): void {
    if (stopAsked && state !== 'waiting') return void hurry();
    stopAsked = true;
    stopping.abort('told to stop');
    if (state === 'waiting') end(0);
    if (state === 'running') void finish();
  }

  async function finish(): Promise<void> {
    state = 'stopping';
    try {
      await service?.stop();
      end(0);
    } catch (error) {
      console.error('the stop was not clean:', error);
      end(1);
    }
  }

  async function hurry(): Promise<void> {
    try {
      await service?.stopNow?.();
    } catch (error) {
      console.error('the quick stop was not clean:', error);
    }
    end(1);
  }

  function end(code: number): void {
    channel.close();
    host.exit(code);
  }

  await channel.begin;
  state = 'starting';
  try {
    service = await start({ channel, stopping: stopping.signal });
  } catch (error) {
    if (stopAsked) return end(0);
    console.error(error);
    if (error instanceof HopelessError) await channel.failed(error.message);
    return end(1);
  }
  state = 'running';
  if (stopAsked) return finish();
  channel.ready();
}
