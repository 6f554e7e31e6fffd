import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nextCurrentReplicas, nextOldReplicas, type RolloutState, rolloutBounds } from './rollout.ts';

const set = (replicas: number, available = replicas, existing = replicas) => ({ replicas, available, existing });

describe('the bounds of a rollout', () => {
  it.each([
    [4, undefined, { surge: 1, unavailable: 1 }],
    [1, undefined, { surge: 1, unavailable: 0 }],
    [10, { maxSurge: '30%', maxUnavailable: '30%' }, { surge: 3, unavailable: 3 }],
    [3, { maxSurge: 0, maxUnavailable: 0 }, { surge: 0, unavailable: 1 }],
    [3, { maxSurge: 0, maxUnavailable: 5 }, { surge: 0, unavailable: 3 }],
  ])('of %d replicas', (replicas, given, expected) => {
    expect(rolloutBounds(replicas, given)).toEqual(expected);
  });
});

describe('a step of a rollout', () => {
  it('adds as many new pods as the surge leaves room for', () => {
    const state = { replicas: 3, bounds: { surge: 1, unavailable: 0 }, current: set(0), old: [set(3)] };
    expect(nextCurrentReplicas(state)).toBe(1);
    expect(nextOldReplicas(state)).toEqual([3]);
  });

  it('removes an old pod only when a new one is available', () => {
    const bounds = { surge: 1, unavailable: 0 };
    expect(nextOldReplicas({ replicas: 3, bounds, current: set(1, 0), old: [set(3)] })).toEqual([3]);
    expect(nextOldReplicas({ replicas: 3, bounds, current: set(1, 1), old: [set(3)] })).toEqual([2]);
  });

  it('removes old pods that never became available first', () => {
    const state = {
      replicas: 3,
      bounds: { surge: 1, unavailable: 1 },
      current: set(2, 0),
      old: [set(2, 0), set(2, 2)],
    };
    expect(nextOldReplicas(state)).toEqual([0, 2]);
  });

  it('keeps both promises and ends, however pods become available', () => {
    const percent = fc.integer({ min: 0, max: 100 }).map((value) => `${value}%`);
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 12 }),
        fc.oneof(fc.integer({ min: 0, max: 4 }), percent),
        fc.oneof(fc.integer({ min: 0, max: 4 }), percent),
        (replicas, maxSurge, maxUnavailable) => {
          const bounds = rolloutBounds(replicas, { maxSurge, maxUnavailable });
          const state: RolloutState = { replicas, bounds, current: set(0), old: [set(replicas)] };
          let steps = 0;
          while (state.current.replicas < replicas || state.old[0]!.replicas > 0) {
            const up = nextCurrentReplicas(state);
            state.current = set(up, state.current.available);
            const down = nextOldReplicas(state)[0]!;
            state.old = [set(down)];
            expect(up + down).toBeLessThanOrEqual(replicas + bounds.surge);
            expect(state.current.available + down).toBeGreaterThanOrEqual(replicas - bounds.unavailable);
            state.current = set(up, up);
            expect(++steps).toBeLessThan(100);
          }
        },
      ),
    );
  });
});
