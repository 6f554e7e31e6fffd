/** Time and chance as this package uses them: given in, so that a test of twenty minutes takes none. */
export interface Clock {
  /** Milliseconds since the epoch. Jumps when somebody sets the machine's clock: for display and for what others wrote. */
  now(): number;
  /** Milliseconds since an arbitrary start. Never jumps: for deadlines and durations. */
  monotonic(): number;
  /** Calls back once, `milliseconds` from now; the result cancels it. */
  after(milliseconds: number, callback: () => void): () => void;
  /** In [0, 1). */
  random(): number;
}

/** A longer delay overflows Node's timer and would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(milliseconds, callback) {
    const timer = setTimeout(callback, Math.min(Math.max(milliseconds, 0), LONGEST_TIMER_MS));
    return () => clearTimeout(timer);
  },
  random: () => Math.random(),
};

/** Resolves after the delay, or early once the signal aborts: whoever waits looks at the signal next. */
export function delay(clock: Clock, milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const finish = () => {
      cancel();
      signal?.removeEventListener('abort', finish);
      resolve();
    };
    const cancel = clock.after(milliseconds, finish);
    signal?.addEventListener('abort', finish);
  });
}
