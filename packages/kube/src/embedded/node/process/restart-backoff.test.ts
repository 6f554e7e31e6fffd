import { describe, expect, it } from 'vitest';
import type { ContainerRecord } from './container-record.ts';
import { nextBackoff, RESTART_TIMINGS, restartWait, shouldRestart } from './restart-backoff.ts';

const ended = (backoffMs: number, ranMs = 1000): ContainerRecord => ({
  attempt: 0,
  phase: 'exited',
  declaration: '',
  image: '',
  startedAt: 0,
  finishedAt: ranMs,
  backoffMs,
});

describe('restarts', () => {
  it('wait 0, 10, 20, 40, 80, 160 and then 300 seconds', () => {
    let record: ContainerRecord | undefined;
    const waits: number[] = [];
    for (let attempt = 0; attempt < 8; attempt++) {
      record = ended(nextBackoff(record, RESTART_TIMINGS));
      waits.push(restartWait(record, 1000, RESTART_TIMINGS) / 1000);
    }
    expect(waits).toEqual([0, 10, 20, 40, 80, 160, 300, 300]);
  });

  it('begin anew after ten minutes of running', () => {
    const record = ended(300_000, 600_000);
    expect(restartWait(record, 600_000, RESTART_TIMINGS)).toBe(0);
    expect(nextBackoff(record, RESTART_TIMINGS)).toBe(10_000);
  });

  it('wait no longer when the clock was set back', () => {
    const record = { ...ended(10_000), startedAt: 3_599_000, finishedAt: 3_600_000 };
    expect(restartWait(record, 0, RESTART_TIMINGS)).toBe(10_000);
  });

  it.each([
    ['Always', 0, true],
    ['OnFailure', 0, false],
    ['OnFailure', 1, true],
    ['Never', 1, false],
    [undefined, 0, true],
  ])('follow the policy %s after exit code %d', (policy, code, expected) => {
    expect(shouldRestart(policy, code)).toBe(expected);
  });
});
