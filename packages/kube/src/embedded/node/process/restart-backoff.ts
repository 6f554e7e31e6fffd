import type { ContainerRecord } from './container-record.ts';

export interface RestartTimings {
  /** Wait before the second restart; the first is at once. Doubles with each further one. */
  baseMs: number;
  maxMs: number;
  /** A container that ran this long has recovered: its next end counts as the first. */
  resetMs: number;
}

export const RESTART_TIMINGS: RestartTimings = { baseMs: 10_000, maxMs: 300_000, resetMs: 600_000 };

/** When an ended container may start again, as the kubelet counts: milliseconds from now, 0 for at once. */
export function restartWait(record: ContainerRecord, now: number, timings: RestartTimings): number {
  if (hasRecovered(record, timings)) return 0;
  const since = now - (record.finishedAt ?? now);
  // Never longer than that, wherever the machine's clock was set since.
  return Math.min(Math.max(0, record.backoffMs - since), record.backoffMs);
}

/** The wait that the attempt after this one will have, if it ends as well. */
export function nextBackoff(record: ContainerRecord | undefined, timings: RestartTimings): number {
  if (!record) return 0;
  if (record.backoffMs === 0 || hasRecovered(record, timings)) return timings.baseMs;
  return Math.min(record.backoffMs * 2, timings.maxMs);
}

function hasRecovered(record: ContainerRecord, timings: RestartTimings): boolean {
  return (record.finishedAt ?? 0) - (record.startedAt ?? record.finishedAt ?? 0) >= timings.resetMs;
}

export function shouldRestart(policy: string | undefined, exitCode: number): boolean {
  if (policy === 'Never') return false;
  return policy === 'OnFailure' ? exitCode !== 0 : true;
}
