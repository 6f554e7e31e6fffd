import { isBerthError } from '@berth/core/errors';
import type { CliContext } from './context.ts';

/**
 * How a command that follows something comes back when its connection ends: at once where a server says that another one goes on, else ever
 * more seldom, never together with everybody else, and as late as a server asks for. A server that makes room for the next one is not
 * worth a word; one that stays away is.
 */
export interface ComeBack {
  /** Waits for the next attempt. Throws why there will be none. */
  pause(lost: Lost): Promise<void>;
  /** Something came: all is well again. */
  arrived(): void;
}

export interface Lost {
  error?: unknown;
  /** What the server asked for. */
  retryMs?: number | undefined;
}

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 5_000;
const LONGEST_RETRY_AFTER_MS = 30_000;
const PATIENCE_MS = 3_000;

export function createComeBack(
  context: CliContext,
  options: { giveUpAfterMs: number; signal?: AbortSignal | undefined; words: string },
): ComeBack {
  let attempts = 0;
  let waitedMs = 0;
  let said = false;

  function waitMs({ error, retryMs }: Lost): number {
    if (retryMs !== undefined) return Math.min(retryMs, LONGEST_RETRY_AFTER_MS);
    const asked = isBerthError(error) ? error.details.retryAfterSeconds : undefined;
    if (asked !== undefined) return Math.min(asked * 1000, LONGEST_RETRY_AFTER_MS) + 1_000 * context.random();
    return Math.min(FIRST_WAIT_MS * 2 ** attempts, LONGEST_WAIT_MS) * (0.5 + context.random() / 2);
  }

  return {
    async pause(lost) {
      if (waitedMs >= options.giveUpAfterMs) throw lost.error ?? new Error(options.words);
      const milliseconds = waitMs(lost);
      attempts += 1;
      waitedMs += milliseconds;
      if (waitedMs > PATIENCE_MS && !said) {
        said = true;
        context.output.note(options.words);
      }
      await context.wait(milliseconds, options.signal);
    },
    arrived() {
      attempts = 0;
      waitedMs = 0;
      said = false;
    },
  };
}
