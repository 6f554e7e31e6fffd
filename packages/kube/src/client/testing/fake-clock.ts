import type { Clock } from '../clock.ts';

export interface FakeClock extends Clock {
  /** Lets time pass: timers fire in order, and what each sets off runs before the next. */
  advance(milliseconds: number): Promise<void>;
  /** Sets the wall clock alone, as an administrator or NTP does. */
  jump(milliseconds: number): void;
}

interface Timer {
  due: number;
  callback: () => void;
}

/** Starts at a fixed date. `random` gives 0.5 unless told otherwise. */
export function createFakeClock(random: () => number = () => 0.5): FakeClock {
  const timers = new Set<Timer>();
  let elapsed = 0;
  let wallOffset = Date.UTC(2026, 0, 1);
  return {
    now: () => wallOffset + elapsed,
    monotonic: () => elapsed,
    random,
    after(milliseconds, callback) {
      const timer = { due: elapsed + Math.max(milliseconds, 0), callback };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    async advance(milliseconds) {
      const until = elapsed + milliseconds;
      await settle();
      for (;;) {
        const next = [...timers].filter((timer) => timer.due <= until).sort((a, b) => a.due - b.due)[0];
        if (!next) break;
        elapsed = Math.max(elapsed, next.due);
        timers.delete(next);
        next.callback();
        await settle();
      }
      elapsed = until;
      await settle();
    },
    jump(milliseconds) {
      wallOffset += milliseconds;
    },
  };
}

/** Lets everything run that waits for nothing but its turn. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
}
