const FIRST_MS = 100;
const LONGEST_MS = 10_000;
/** A process that ran this long was sound: its next end is a new story. */
const SOUND_AFTER_MS = 30_000;

export interface RestartDelay {
  /** How long to wait before the next start of a process that ran for `ranMs`. */
  next(ranMs: number): number;
}

/** Restarts at once after a first death, and ever slower while it keeps dying. */
export function createRestartDelay(): RestartDelay {
  let deaths = 0;
  return {
    next(ranMs) {
      deaths = ranMs >= SOUND_AFTER_MS ? 1 : deaths + 1;
      return Math.min(FIRST_MS * 2 ** (deaths - 1), LONGEST_MS);
    },
  };
}
