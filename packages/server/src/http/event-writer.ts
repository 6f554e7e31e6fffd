import type { ServerResponse } from 'node:http';
import { type Clock, delay } from '@berth/kube/client/clock';

/**
 * Where a stream's events go. `send` resolves when the client has room for more, so a slow one slows its own source and never fills
 * our memory; what it is given is on its way before it waits, so a position is true when it is written.
 */
export interface EventSink {
  /** `position` is where a client goes on that has got this event: `Last-Event-ID`. */
  send<E extends { type: string }>(event: E, position?: number | string): Promise<void>;
  /** A comment, when nothing was written for a while: proxies cut what is silent. */
  keepAlive(): void;
  readonly closed: boolean;
}

const KEEP_ALIVE_MS = 12_000;
const STALLED_MS = 60_000;
/** Those whom a server sends away as it stops come to the others within this time, and not all in one moment. */
const COME_BACK_WITHIN_MS = 1_000;

/** Writes Server-Sent Events. A client that takes nothing for a minute is cut; it comes back and catches up. */
export function createEventWriter(response: ServerResponse, clock: Clock): EventSink {
  let lastWrite = clock.monotonic();
  let draining: Promise<void> | undefined;

  async function write(text: string): Promise<void> {
    if (response.destroyed || response.writableEnded) return;
    lastWrite = clock.monotonic();
    if (response.write(text)) return;
    // Many sources may wait for one client: they wait together.
    draining ??= drained(response, clock).finally(() => {
      draining = undefined;
    });
    await draining;
  }

  return {
    send(event, position) {
      const id = position === undefined ? '' : `id: ${position}\n`;
      const retry = sendsAway(event) ? `retry: ${Math.floor(clock.random() * COME_BACK_WITHIN_MS)}\n` : '';
      return write(`${id}${retry}event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    },
    keepAlive() {
      if (clock.monotonic() - lastWrite < KEEP_ALIVE_MS || response.writableNeedDrain) return;
      // It cannot block: there is room.
      void write(': still here\n\n');
    },
    get closed() {
      return response.destroyed || response.writableEnded;
    },
  };
}

function sendsAway(event: { type: string; reason?: unknown }): boolean {
  return event.type === 'end' && event.reason === 'shutting_down';
}

/** Resolves when the client has taken what was written, or has gone, or was cut. */
export async function drained(response: ServerResponse, clock: Clock): Promise<void> {
  const waited = new AbortController();
  const finish = () => waited.abort();
  response.once('drain', finish);
  response.once('close', finish);
  await delay(clock, STALLED_MS, waited.signal);
  response.off('drain', finish);
  response.off('close', finish);
  if (!waited.signal.aborted) response.destroy();
}
