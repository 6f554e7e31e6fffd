import pg from 'pg';
import type { Listener, Subscription } from './database.ts';

const FIRST_RECONNECT_MS = 100;
const LONGEST_RECONNECT_MS = 5_000;

/**
 * One connection that only listens. When it is lost it is made again, with growing pauses, and the listener
 * is told of the gap: NOTIFY keeps nothing for whoever was away.
 */
export async function listen(options: pg.ClientConfig, channel: string, listener: Listener): Promise<Subscription> {
  let client: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  let pause = FIRST_RECONNECT_MS;
  let stopped = false;

  async function connect(): Promise<void> {
    const next = new pg.Client(options);
    next.on('notification', ({ payload }) => listener.onNotification(payload ?? ''));
    next.on('error', () => reconnect(next));
    next.on('end', () => reconnect(next));
    await next.connect();
    await next.query(`listen ${pg.escapeIdentifier(channel)}`);
    if (stopped) return next.end();
    client = next;
    pause = FIRST_RECONNECT_MS;
    listener.onGap();
  }

  function reconnect(lost: pg.Client | undefined): void {
    if (stopped || timer !== undefined || client !== lost) return;
    client = undefined;
    timer = setTimeout(() => {
      timer = undefined;
      connect().catch(() => reconnect(undefined));
    }, pause);
    pause = Math.min(pause * 2, LONGEST_RECONNECT_MS);
  }

  await connect();
  return {
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await client?.end();
    },
  };
}
