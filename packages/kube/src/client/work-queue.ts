import { type Clock, systemClock } from './clock.ts';

/**
 * Keys that wait for a worker. Each key is in exactly one place:
 *
 *     (absent) ── add ──> waiting ── take ──> running ── done ──> (absent)
 *         │                  ^                   │
 *         └─ addAfter ─> delayed                 └─ add while running: waiting again, but only once it is done
 *
 * - However often a key is added, it waits once: a burst of events costs one run.
 * - A key never runs twice at the same time, so a reconcile needs no lock of its own.
 * - An add while it runs is remembered: the run may have read what is old by now.
 * - Of two delays the earlier wins, and an immediate add ends a delay: the run that follows says when to come back.
 * - Keys run in the order they came, so one busy key cannot starve the others: its next turn is behind them.
 */
export interface WorkQueue {
  /** How many wait for a worker now. */
  readonly size: number;
  add(key: string): void;
  addAfter(key: string, milliseconds: number): void;
  /** After a failure: waits longer each time for this key, and bounds failures of all keys together. Returns the delay. */
  retry(key: string): number;
  /** The key is well again: its next failure starts with a short delay. */
  forget(key: string): void;
  /** The next key, which the caller must give back with `done`. Undefined once the queue is shut down. */
  take(): Promise<string | undefined>;
  done(key: string): void;
  /** Gives out nothing more; resolves when what is running is done. What waits is dropped: the next start finds it anew. */
  shutDown(): Promise<void>;
}

export interface WorkQueueOptions {
  clock?: Clock;
  /** First delay after a failure; doubles with each further one. */
  retryInitialMs?: number;
  retryMaxMs?: number;
  /** Failures of all keys together: this many at once, then `retriesPerSecond`. */
  retryBurst?: number;
  retriesPerSecond?: number;
  /** A key is not given out again within this time of the last: bounds what a key that changes all the time can cost. */
  minIntervalMs?: number;
  observer?: WorkQueueObserver;
}

/** For metrics. */
export interface WorkQueueObserver {
  added(): void;
  retried(): void;
  taken(waitedMs: number): void;
  finished(workedMs: number): void;
  depth(size: number): void;
}

export function createWorkQueue(options: WorkQueueOptions = {}): WorkQueue {
  const { clock = systemClock, observer, minIntervalMs = 0 } = options;
  const retryDelay = createRetryDelay(options, clock);
  /** Insertion order is the order of service; the value is since when the key waits. */
  const waiting = new Map<string, number>();
  const delayed = new Map<string, { due: number; cancel: () => void }>();
  const running = new Map<string, number>();
  const addedWhileRunning = new Set<string>();
  const lastTaken = new Map<string, number>();
  const takers: ((key: string | undefined) => void)[] = [];
  let closed = false;
  let drained: (() => void) | undefined;

  function add(key: string): void {
    if (closed) return;
    undelay(key);
    if (waiting.has(key) || addedWhileRunning.has(key)) return;
    observer?.added();
    if (running.has(key)) addedWhileRunning.add(key);
    else enqueue(key);
  }

  function enqueue(key: string): void {
    const earliest = (lastTaken.get(key) ?? Number.NEGATIVE_INFINITY) + minIntervalMs;
    if (earliest > clock.monotonic()) {
      delayUntil(key, earliest);
      return;
    }
    waiting.set(key, clock.monotonic());
    hand();
    observer?.depth(waiting.size);
  }

  function delayUntil(key: string, due: number): void {
    const present = delayed.get(key);
    if (present && present.due <= due) return;
    present?.cancel();
    const cancel = clock.after(due - clock.monotonic(), () => add(key));
    delayed.set(key, { due, cancel });
  }

  function undelay(key: string): void {
    delayed.get(key)?.cancel();
    delayed.delete(key);
  }

  function addAfter(key: string, milliseconds: number): void {
    if (closed || waiting.has(key) || addedWhileRunning.has(key)) return;
    if (milliseconds <= 0) add(key);
    else delayUntil(key, clock.monotonic() + milliseconds);
  }

  /** Gives waiting keys to waiting workers. */
  function hand(): void {
    for (const [key, since] of waiting) {
      const taker = takers.shift();
      if (!taker) return;
      waiting.delete(key);
      running.set(key, clock.monotonic());
      rememberTaken(key);
      observer?.taken(clock.monotonic() - since);
      taker(key);
    }
  }

  function rememberTaken(key: string): void {
    if (minIntervalMs <= 0) return;
    const at = clock.monotonic();
    lastTaken.set(key, at);
    clock.after(minIntervalMs, () => {
      if (lastTaken.get(key) === at) lastTaken.delete(key);
    });
  }

  return {
    get size() {
      return waiting.size;
    },
    add,
    addAfter,
    retry(key) {
      const milliseconds = retryDelay.next(key);
      observer?.retried();
      addAfter(key, milliseconds);
      return milliseconds;
    },
    forget: (key) => retryDelay.forget(key),
    take() {
      if (closed) return Promise.resolve(undefined);
      return new Promise((resolve) => {
        takers.push(resolve);
        hand();
        observer?.depth(waiting.size);
      });
    },
    done(key) {
      const since = running.get(key);
      if (since === undefined) return;
      running.delete(key);
      observer?.finished(clock.monotonic() - since);
      if (addedWhileRunning.delete(key) && !closed) enqueue(key);
      if (running.size === 0) drained?.();
    },
    shutDown() {
      closed = true;
      for (const key of [...delayed.keys()]) undelay(key);
      waiting.clear();
      addedWhileRunning.clear();
      observer?.depth(0);
      for (const taker of takers.splice(0)) taker(undefined);
      if (running.size === 0) return Promise.resolve();
      return new Promise((resolve) => {
        drained = resolve;
      });
    },
  };
}

const RETRY_INITIAL_MS = 5;
const RETRY_MAX_MS = 1_000_000;
const RETRY_BURST = 100;
const RETRIES_PER_SECOND = 10;

/** The longer of the key's own exponential delay and what a token bucket over all keys asks. */
function createRetryDelay(options: WorkQueueOptions, clock: Clock) {
  const { retryInitialMs = RETRY_INITIAL_MS, retryMaxMs = RETRY_MAX_MS } = options;
  const { retryBurst = RETRY_BURST, retriesPerSecond = RETRIES_PER_SECOND } = options;
  const failures = new Map<string, number>();
  let tokens = retryBurst;
  let filledAt = clock.monotonic();

  function spendToken(): number {
    const now = clock.monotonic();
    tokens = Math.min(retryBurst, tokens + ((now - filledAt) / 1000) * retriesPerSecond) - 1;
    filledAt = now;
    return tokens >= 0 ? 0 : (-tokens / retriesPerSecond) * 1000;
  }

  return {
    next(key: string): number {
      const count = failures.get(key) ?? 0;
      failures.set(key, count + 1);
      const own = Math.min(retryInitialMs * 2 ** Math.min(count, 60), retryMaxMs);
      return Math.max(own, spendToken());
    },
    forget(key: string): void {
      failures.delete(key);
    },
  };
}
