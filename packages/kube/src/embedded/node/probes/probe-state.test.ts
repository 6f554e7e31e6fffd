import { describe, expect, it } from 'vitest';
import { afterResult, NO_RESULT, type ProbeState } from './probe-state.ts';

const probe = { successThreshold: 2, failureThreshold: 3 };
const run = (results: boolean[]): (boolean | undefined)[] => {
  let state: ProbeState = NO_RESULT;
  return results.map((result) => {
    state = afterResult(state, result, probe);
    return state.passing;
  });
};

describe('a probe', () => {
  it('has no verdict before its thresholds', () => {
    expect(run([true, false, false, true])).toEqual([undefined, undefined, undefined, undefined]);
  });
  it('passes after as many successes in a row as asked', () => {
    expect(run([true, true])).toEqual([undefined, true]);
  });
  it('fails only after as many failures in a row as allowed', () => {
    expect(run([true, true, false, false, true, false, false, false])).toEqual([
      undefined,
      true,
      true,
      true,
      true,
      true,
      true,
      false,
    ]);
  });
  it('comes back', () => {
    expect(run([false, false, false, true, true])).toEqual([undefined, undefined, false, false, true]);
  });
});
