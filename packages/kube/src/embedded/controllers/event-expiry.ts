import type { KubeClient } from '../../client/client.ts';
import { type Clock, delay } from '../../client/clock.ts';
import type { Logger } from '../../client/logger.ts';
import type { KubeObject } from '../../schema/object.ts';
import { EVENT } from '../../schema/resources.ts';
import { isKubeError } from '../../schema/status.ts';
import { addressOf } from './controller-context.ts';

/**
 * Events go an hour after the last time they were told, as by a kube-apiserver's `--event-ttl`: else every pod that ever was would
 * leave a dozen objects for good.
 */
export interface EventExpiry {
  start(): void;
  stop(): Promise<void>;
}

const KEPT_MS = 60 * 60_000;
const EVERY_MS = 5 * 60_000;
const PAGE = 500;

export function createEventExpiry(context: {
  client: Pick<KubeClient, 'list' | 'delete'>;
  clock: Clock;
  logger: Logger;
}): EventExpiry {
  const { client, clock, logger } = context;
  const stopping = new AbortController();
  let running = Promise.resolve();

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      await removeOldEvents(client, clock.now()).catch((err: unknown) => logger.warn({ err }, 'old events stay'));
      await delay(clock, EVERY_MS, stopping.signal);
    }
  }

  return {
    start() {
      running = run();
    },
    stop() {
      stopping.abort();
      return running;
    },
  };
}

export async function removeOldEvents(client: Pick<KubeClient, 'list' | 'delete'>, now: number): Promise<void> {
  let next: string | undefined;
  do {
    const page = await client.list(EVENT, { limit: PAGE, ...(next && { continue: next }) });
    for (const event of page.items.filter((each) => lastTold(each) < now - KEPT_MS)) {
      const { uid } = event.metadata;
      await client.delete(EVENT, addressOf(event), uid ? { preconditions: { uid } } : {}).catch(tolerateGone);
    }
    next = page.metadata?.continue || undefined;
  } while (next);
}

/** Of the two kinds of Events that there are, and of one that says nothing of the sort. */
function lastTold(event: KubeObject): number {
  const { lastTimestamp, series, eventTime } = event as {
    lastTimestamp?: string;
    eventTime?: string;
    series?: { lastObservedTime?: string };
  };
  const told = series?.lastObservedTime ?? lastTimestamp ?? eventTime ?? event.metadata.creationTimestamp;
  return Date.parse(told ?? '') || 0;
}

function tolerateGone(error: unknown): void {
  if (!isKubeError(error, 'NotFound') && !isKubeError(error, 'Conflict')) throw error;
}
