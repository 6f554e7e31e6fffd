import { setTimeout as delay } from 'node:timers/promises';

/** How a network answers for somebody it does not know yet. */
const UNREACHABLE = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT', 'EAI_AGAIN', 'ENOTFOUND']);
const WITHIN_MS = 30_000;
const EVERY_MS = 500;

/**
 * Tries again for a while what cannot be reached. A cluster's network policies hear of a new pod a moment after it has begun: a job, which asks at once
 * and asks only once, would end before it is let through.
 */
export async function onceReachable<T>(ask: () => Promise<T>, withinMs = WITHIN_MS): Promise<T> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!isUnreachable(error) || performance.now() + EVERY_MS > deadline) throw error;
      await delay(EVERY_MS);
    }
  }
}

/** `fetch` keeps the reason in the cause, and several addresses give an error with one each. */
function isUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? error.code : undefined;
  if (typeof code === 'string' && UNREACHABLE.has(code)) return true;
  return error instanceof AggregateError ? error.errors.some(isUnreachable) : isUnreachable(error.cause);
}
