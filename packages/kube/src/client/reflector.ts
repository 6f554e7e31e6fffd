import { type KubeObject, objectKey, type ResourceType, type WatchEvent } from '../schema/object.ts';
import { KubeError } from '../schema/status.ts';
import { type BackoffOptions, createBackoff } from './backoff.ts';
import { type ChangeHandler, createChangeHandlers, namesOf } from './change-handlers.ts';
import type { KubeClient } from './client.ts';
import { type Clock, delay, systemClock } from './clock.ts';
import type { Logger } from './logger.ts';
import { createObjectCache, type Indexers } from './object-cache.ts';
import { followWatch, SilentWatch } from './watch-connection.ts';

/**
 * Keeps a copy of one collection up to date and tells handlers what changed.
 *
 *     list ──> watch from the list's version ──> server ends it (5-10 min) ──> watch again from the last version seen
 *      ^                    │
 *      │                    ├─ broken (reset, cut line, not JSON, 5xx): back off, watch again from the last version
 *      ├── back off <───────┴─ 410, or silent too long, or broken three times without an event: list again
 *      └── once an hour, when a watch has ended: list again, which finds what a lost event hid
 *
 * It never ends by itself. Three facts carry that:
 * - Every wait has an end. A watch that brings neither event nor bookmark within `silenceMs` is cut, since a connection
 *   whose other side vanished stays silent for ever and looks like a quiet cluster. Bookmarks come once a minute.
 * - Every failure backs off with jitter, and a watch that ended at once counts as a failure: whatever the server does,
 *   requests stay few.
 * - A list is compared with the copy, so what was missed arrives as the same changes: an object that is gone as a delete
 *   with its last known state, one made anew under the same name as a delete and an add.
 *
 * Handlers run one after the other, in the order of the server's events for each object; no change is told twice. One
 * that throws is logged and misses that change, nothing else.
 */
export interface Reflector<T extends KubeObject = KubeObject> {
  readonly name: string;
  readonly type: ResourceType;
  /** Does nothing when started already, so that several controllers may share one. */
  start(): void;
  stop(): Promise<void>;
  /** Resolves when the first list is in the copy and handlers know of it; rejects when stopped before. */
  readonly synced: Promise<void>;
  hasSynced(): boolean;
  /** By `namespace/name`. Objects are shared: treat them as read-only. */
  get(key: string): T | undefined;
  list(): T[];
  byIndex(index: string, value: string): T[];
  /** Tells the handler of everything known as adds, then of every change. The name is for logs. Returns how to end it. */
  onChange(name: string, handler: ChangeHandler<T>): () => void;
  /** Milliseconds since the epoch of the last sign of life from the server; undefined while it is being followed. */
  staleSince(): number | undefined;
  /** Synced, and followed now or until a moment ago. */
  healthy(): boolean;
}

export interface ReflectorOptions<T extends KubeObject> {
  client: Pick<KubeClient, 'list' | 'watch'>;
  type: ResourceType;
  logger: Logger;
  /** For logs; the plural of the type when absent. */
  name?: string;
  namespace?: string;
  labelSelector?: string;
  fieldSelector?: string;
  /** What to keep of each object, for instance `withoutManagedFields`. */
  transform?: (object: T) => T;
  indexers?: Indexers<T>;
  clock?: Clock;
  silenceMs?: number;
  /** How old a list may become. */
  relistMs?: number;
  backoff?: BackoffOptions;
}

const PAGE_SIZE = 500;
const WATCH_SECONDS_LEAST = 300;
const SILENCE_MS = 180_000;
/**
 * So often the copy is compared with a new list, when a watch has ended by itself, hence spread by the length of watches. An apiserver
 * lists some 80,000 objects in a second of one core: that, and as much of ours, is what an hour of them costs.
 */
const RELIST_MS = 3_600_000;
const WATCH_FAILURES_BEFORE_LIST = 3;
/** A watch shorter than this is a failure, whatever way it ended: at once again would be a flood. */
const SHORT_WATCH_MS = 1_000;
/** A reconnect takes moments; only a longer gap is worth an alarm. */
const UNHEALTHY_AFTER_MS = 30_000;
/** At most 20 s with jitter: long enough for a server that comes back under load, short enough for a person who waits. */
const BACKOFF = { initialMs: 800, maxMs: 10_000, resetAfterMs: 10_000 };

export function createReflector<T extends KubeObject = KubeObject>(options: ReflectorOptions<T>): Reflector<T> {
  const { client, type, namespace, labelSelector, fieldSelector, clock = systemClock } = options;
  const { silenceMs = SILENCE_MS, relistMs = RELIST_MS, transform = (object: T) => object } = options;
  const name = options.name ?? type.plural;
  const logger = options.logger.child({ reflector: name });
  const selection = { namespace, labelSelector, fieldSelector };
  const cache = createObjectCache<T>(guardIndexers(options.indexers ?? {}, logger));
  const handlers = createChangeHandlers<T>(logger);
  const backoff = createBackoff(options.backoff ?? BACKOFF, clock);
  const stopping = new AbortController();
  let settleSynced: { resolve(): void; reject(error: Error): void } | undefined;
  const synced = new Promise<void>((resolve, reject) => {
    settleSynced = { resolve, reject };
  });
  // Nobody may be waiting for it when the reflector is stopped early.
  synced.catch(() => undefined);

  let running: Promise<void> | undefined;
  let hasSynced = false;
  let following = false;
  let lastContact = { monotonic: clock.monotonic(), wall: clock.now() };
  let version = '';
  let listedAt = Number.NEGATIVE_INFINITY;

  function contact(): void {
    lastContact = { monotonic: clock.monotonic(), wall: clock.now() };
  }

  function keep(object: T): T {
    try {
      return transform(object);
    } catch (err) {
      logger.error({ ...namesOf(object), err }, 'transform failed');
      return object;
    }
  }

  /** Page by page, so that a collection is never in memory twice. Returns the list's version and notes which keys are in it. */
  async function listAll(limit: number | undefined, keys: Set<string>): Promise<string> {
    let next: string | undefined;
    for (;;) {
      const page = await client.list<T>(type, { ...selection, limit, continue: next, signal: stopping.signal });
      contact();
      for (const item of page.items) {
        keys.add(objectKey(item));
        handlers.tell(cache.put(keep(item)));
      }
      next = page.metadata.continue;
      if (!next) return page.metadata.resourceVersion ?? '';
    }
  }

  async function relist(): Promise<void> {
    const keys = new Set<string>();
    version = await listAll(PAGE_SIZE, keys).catch((error: unknown) => {
      // The version of the first page was compacted before the last: ask for everything in one answer.
      if (!isExpired(error)) throw error;
      keys.clear();
      return listAll(undefined, keys);
    });
    handlers.tell(cache.retain(keys));
    listedAt = clock.monotonic();
    if (hasSynced) return;
    hasSynced = true;
    logger.info({ count: cache.size }, 'cache synced');
    settleSynced?.resolve();
  }

  function take(event: WatchEvent<T>): void {
    if (event.type !== 'BOOKMARK') {
      const object = keep(event.object);
      handlers.tell(event.type === 'DELETED' ? cache.remove(object) : cache.put(object));
    }
    version = event.object.metadata.resourceVersion ?? version;
  }

  /** One watch connection. A failure that a new connection may heal is an outcome; what needs a new list is thrown. */
  async function watchOnce(): Promise<'ended' | 'failed after events' | 'failed'> {
    const started = clock.monotonic();
    const timeoutSeconds = Math.round(WATCH_SECONDS_LEAST * (1 + clock.random()));
    const follow = { resourceVersion: version, allowWatchBookmarks: true, timeoutSeconds, signal: stopping.signal };
    const parameters = { ...selection, ...follow };
    let fruitful = false;
    const onContact = () => {
      following = true;
      contact();
    };
    const onEvent = (event: WatchEvent<T>) => {
      take(event);
      fruitful = true;
    };
    try {
      await followWatch<T>({ client, type, parameters, clock, silenceMs, onContact, onEvent });
      contact();
      if (clock.monotonic() - started >= SHORT_WATCH_MS) return 'ended';
      logger.debug({}, 'watch ended at once');
    } catch (err) {
      if (stopping.signal.aborted || isExpired(err) || err instanceof SilentWatch) throw err;
      logger.info({ err }, 'watch broke');
    } finally {
      following = false;
    }
    return fruitful ? 'failed after events' : 'failed';
  }

  /** Returns when a new list is needed. */
  async function follow(): Promise<void> {
    let failures = 0;
    while (failures < WATCH_FAILURES_BEFORE_LIST) {
      const outcome = await watchOnce();
      failures = outcome === 'failed' ? failures + 1 : 0;
      if (outcome !== 'ended') await delay(clock, backoff.next(), stopping.signal);
      stopping.signal.throwIfAborted();
      if (clock.monotonic() - listedAt > relistMs) return;
    }
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        await relist();
        await follow();
      } catch (err) {
        if (stopping.signal.aborted) break;
        logger.warn({ err }, 'cache lost track of the server, listing again');
        await delay(clock, backoff.next(), stopping.signal);
      }
    }
  }

  return {
    name,
    type,
    synced,
    start() {
      running ??= run();
    },
    async stop() {
      stopping.abort(new Error(`reflector ${name} is stopped`));
      settleSynced?.reject(stopping.signal.reason);
      await running;
    },
    hasSynced: () => hasSynced,
    get: cache.get,
    list: cache.list,
    byIndex: cache.byIndex,
    onChange: (handlerName, handler) => handlers.add(handlerName, handler, cache.list()),
    staleSince: () => (following ? undefined : lastContact.wall),
    healthy() {
      const silent = clock.monotonic() - lastContact.monotonic;
      return hasSynced && silent <= (following ? silenceMs : UNHEALTHY_AFTER_MS);
    },
  };
}

/** A transform: the bookkeeping of server-side apply is often half of an object, and no controller reads it. */
export function withoutManagedFields<T extends KubeObject>(object: T): T {
  if (!object.metadata.managedFields) return object;
  const { managedFields: _bookkeeping, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** One object that an indexer cannot read must not stop the rest. */
function guardIndexers<T extends KubeObject>(indexers: Indexers<T>, logger: Logger): Indexers<T> {
  const guarded: Indexers<T> = {};
  for (const [index, valuesOf] of Object.entries(indexers)) {
    guarded[index] = (object) => {
      try {
        return valuesOf(object);
      } catch (err) {
        logger.error({ index, ...namesOf(object), err }, 'indexer failed');
        return [];
      }
    };
  }
  return guarded;
}

function isExpired(error: unknown): boolean {
  return error instanceof KubeError && error.code === 410;
}
