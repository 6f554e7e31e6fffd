import { createHash, randomUUID } from 'node:crypto';
import type { KubeObject } from '../schema/object.ts';
import { EVENT } from '../schema/resources.ts';
import { isKubeError } from '../schema/status.ts';
import type { KubeClient } from './client.ts';
import { type Clock, systemClock } from './clock.ts';
import type { Logger } from './logger.ts';

/**
 * Tells people what happened to an object, as `kubectl describe` shows it. Repeating oneself raises the count of one Event
 * instead of making many, and no object may speak too much: whoever reconciles in a loop does not fill the store.
 *
 * Events are a courtesy: recording never throws, never waits and never fails a reconcile.
 */
export interface EventRecorder {
  record(object: KubeObject, event: { type: 'Normal' | 'Warning'; reason: string; message: string }): void;
  /** Resolves when everything recorded so far is written or given up. */
  flush(): Promise<void>;
}

export interface EventRecorderOptions {
  client: Pick<KubeClient, 'create' | 'patch'>;
  /** Who speaks. */
  component: string;
  logger: Logger;
  clock?: Clock;
  newId?: () => string;
}

/** The same again within this time is the same Event. */
const REPEATS_FOR_MS = 600_000;
/** An object may say this much at once, then one thing in five minutes. */
const BURST = 25;
const REFILL_MS = 300_000;
/** Bounds memory; the oldest are forgotten. */
const MOST_REMEMBERED = 4096;
const LONGEST_MESSAGE = 1024;

interface Entry {
  address: { name: string; namespace: string };
  event: KubeObject;
  count: number;
  last: number;
  written: number;
  writing: Promise<void> | undefined;
}

export function createEventRecorder(options: EventRecorderOptions): EventRecorder {
  const { client, component, clock = systemClock, newId = randomUUID } = options;
  const logger = options.logger.child({ component });
  const entries = new Map<string, Entry>();
  const budgets = new Map<string, { tokens: number; at: number }>();

  function spend(uid: string): boolean {
    const now = clock.monotonic();
    const budget = budgets.get(uid) ?? { tokens: BURST, at: now };
    const tokens = Math.min(BURST, budget.tokens + (now - budget.at) / REFILL_MS);
    remember(budgets, uid, { tokens: tokens >= 1 ? tokens - 1 : tokens, at: now });
    return tokens >= 1;
  }

  function makeEntry(
    object: KubeObject,
    { type, reason, message }: { type: string; reason: string; message: string },
  ): Entry {
    const { name, namespace, uid, resourceVersion } = object.metadata;
    const { apiVersion, kind } = object;
    const address = {
      name: `${name.slice(0, 200)}.${newId().replaceAll('-', '').slice(0, 16)}`,
      namespace: namespace ?? 'default',
    };
    const event = {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: address,
      involvedObject: { apiVersion, kind, name, namespace, uid, resourceVersion },
      type,
      reason,
      message: message.length > LONGEST_MESSAGE ? `${message.slice(0, LONGEST_MESSAGE - 1)}…` : message,
      source: { component },
      reportingComponent: component,
      reportingInstance: component,
      firstTimestamp: timestamp(clock.now()),
    };
    return { address, event, count: 0, last: clock.now(), written: 0, writing: undefined };
  }

  /** One write at a time for each Event; what is said meanwhile goes into the next. */
  async function write(entry: Entry): Promise<void> {
    while (entry.written < entry.count) {
      const { count } = entry;
      const change = { count, lastTimestamp: timestamp(entry.last) };
      try {
        if (entry.written === 0) await client.create(EVENT, { ...entry.event, ...change });
        else await repeat(entry, change);
      } catch (err) {
        logger.debug({ err, reason: entry.event.reason }, 'event could not be recorded');
      }
      entry.written = count;
    }
    entry.writing = undefined;
  }

  /** The server drops Events after a while; the count goes on in a new one. */
  async function repeat(entry: Entry, change: Record<string, unknown>): Promise<void> {
    try {
      await client.patch(EVENT, entry.address, { type: 'merge', body: change });
    } catch (error) {
      if (!isKubeError(error, 'NotFound')) throw error;
      await client.create(EVENT, { ...entry.event, ...change });
    }
  }

  return {
    record(object, event) {
      const uid = object.metadata.uid ?? `${object.kind}/${object.metadata.namespace}/${object.metadata.name}`;
      if (!spend(uid)) return;
      const text = JSON.stringify([uid, event.type, event.reason, event.message]);
      const key = createHash('sha256').update(text).digest('base64');
      const known = entries.get(key);
      const entry = known && clock.now() - known.last < REPEATS_FOR_MS ? known : makeEntry(object, event);
      entry.count++;
      entry.last = clock.now();
      remember(entries, key, entry);
      entry.writing ??= write(entry);
    },
    async flush() {
      await Promise.all([...entries.values()].map((entry) => entry.writing));
    },
  };
}

function remember<V>(map: Map<string, V>, key: string, value: V): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= MOST_REMEMBERED) return;
  for (const oldest of map.keys()) {
    map.delete(oldest);
    return;
  }
}

/** Events carry whole seconds. */
function timestamp(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(/\.\d+Z$/, 'Z');
}
