import type { HealthCheck } from '@berth/core/health';

/** One question about the installation. What it throws is a failure by itself: a part that does not answer. */
export interface Check {
  name: string;
  /** What to do when it throws or takes too long. */
  fix: string;
  run(): Promise<Finding>;
}

export type Finding = Omit<HealthCheck, 'name'>;

export const ok = (message: string): Finding => ({ state: 'ok', message });
export const warning = (message: string, fix: string): Finding => ({ state: 'warning', message, fix });
export const failure = (message: string, fix: string): Finding => ({ state: 'failure', message, fix });

/** Whoever asks is waiting, and mostly because something hangs. */
const ANSWER_WITHIN_MS = 5_000;

/** All at once, told in the order that they are given. */
export function runChecks(checks: readonly Check[], withinMs = ANSWER_WITHIN_MS): Promise<HealthCheck[]> {
  return Promise.all(
    checks.map(async ({ name, fix, run }) => {
      try {
        return { name, ...(await within(run(), withinMs)) };
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        return { name, ...failure(message.slice(0, 500), fix) };
      }
    }),
  );
}

async function within<T>(work: Promise<T>, milliseconds: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const message = `It did not answer within ${milliseconds / 1000} s.`;
    timer = setTimeout(() => reject(new Error(message)), milliseconds);
  });
  // What comes after the end of the wait is nobody's any more.
  work.catch(() => undefined);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
