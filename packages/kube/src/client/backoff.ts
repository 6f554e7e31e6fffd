import type { Clock } from './clock.ts';

export interface BackoffOptions {
  initialMs: number;
  maxMs: number;
  /** A pause this long between two failures starts anew. */
  resetAfterMs: number;
}

export interface Backoff {
  /** How long to wait after one more failure. */
  next(): number;
}

/**
 * Doubles up to a limit, then adds up to as much again by chance: clients that failed in one instant come back spread
 * over the whole delay, not together.
 */
export function createBackoff(options: BackoffOptions, clock: Clock): Backoff {
  let delayMs = options.initialMs;
  let lastFailure = Number.NEGATIVE_INFINITY;
  return {
    next() {
      const now = clock.monotonic();
      if (now - lastFailure > options.resetAfterMs + delayMs) delayMs = options.initialMs;
      lastFailure = now;
      const base = delayMs;
      delayMs = Math.min(delayMs * 2, options.maxMs);
      return base * (1 + clock.random());
    },
  };
}
