import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Probe } from './probes.ts';

const RESOLUTION_MS = 20;
/** Whoever waits that long for his turn takes the process for gone. */
const STUCK_MS = 10_000;
const SLOW_MS = 500;
const WINDOW_MS = 30_000;

export interface EventLoopWatch {
  probes: Probe[];
  stop(): void;
}

/** Whether everything in this process gets its turn. One that is stuck for good does not answer at all, which tells the same. */
export function watchEventLoop(): EventLoopWatch {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  const reset = setInterval(() => delay.reset(), WINDOW_MS);
  reset.unref();
  const late = (milliseconds: number) => `its work waited for ${Math.round(milliseconds)} ms`;
  const median = () => delay.percentile(50) / 1e6;
  const slowest = () => delay.percentile(99) / 1e6;
  return {
    probes: [
      { name: 'event-loop', problem: () => (median() > STUCK_MS ? late(median()) : undefined) },
      { name: 'event-loop-delay', tells: true, problem: () => (slowest() > SLOW_MS ? late(slowest()) : undefined) },
    ],
    stop() {
      clearInterval(reset);
      delay.disable();
    },
  };
}
