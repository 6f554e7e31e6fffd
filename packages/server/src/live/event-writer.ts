import type { ServerResponse } from 'node:http';
import { type Clock, delay } from '@berth/kube/client/clock';

/**
 * Writes Server-Sent Events with back-pressure: `send` resolves when the client has room for more, so a slow one slows its own
 * source and never fills our memory. One that takes nothing for a minute is cut; it comes back and catches up.
 */
export interface EventWriter {
  send<E extends { type: string }>(event: E, id?: number): Promise<void>;
  /** A comment, when nothing was written for a while: proxies cut what is silent. */
  keepAlive(): void;
  readonly closed: boolean;
}

const KEEP_ALIVE_MS = 12_000;
const STALLED_MS = 60_000;

export function createEventWriter(response: ServerResponse, clock: Clock): EventWriter {
  let lastWrite = clock.monotonic();

  async function write(text: string): Promise<void> {
    if (response.destroyed || response.writableEnded) return;
    lastWrite = clock.monotonic();
    if (!response.write(text)) await drained();
  }

  async function drained(): Promise<void> {
    const waited = new AbortController();
    const finish = () => waited.abort();
    response.once('drain', finish);
    response.once('close', finish);
    await delay(clock, STALLED_MS, waited.signal);
    response.off('drain', finish);
    response.off('close', finish);
    if (!waited.signal.aborted) response.destroy();
  }

  return {
    send: (event, id) =>
      write(`${id === undefined ? '' : `id: ${id}\n`}event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`),
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
