import { describe, expect, it } from 'vitest';
import { rowsInSight } from './rows-in-sight.ts';

const at = (top: number, count = 2_000) => rowsInSight({ top, view: 800, height: 40, count });

describe('rowsInSight', () => {
  it('draws what is in view and a block to spare on either side', () => {
    expect(at(0)).toEqual({ from: 0, to: 40 });
    expect(at(4_000)).toEqual({ from: 90, to: 140 });
  });

  it('stays the same while less than a block goes by', () => {
    expect(at(4_001)).toEqual(at(4_399));
    expect(at(4_400)).not.toEqual(at(4_399));
  });

  it.each([-3_000, -1, 0, 1, 12_345, 79_999, 1_000_000])(
    'never leaves the list, and never misses what is in view: %d',
    (top) => {
      const { from, to } = at(top);
      expect(from).toBeGreaterThanOrEqual(0);
      expect(to).toBeLessThanOrEqual(2_000);
      const seen = [Math.floor(top / 40), Math.ceil((top + 800) / 40) - 1].filter((row) => row >= 0 && row < 2_000);
      for (const row of seen) expect(row >= from && row < to).toBe(true);
    },
  );

  it('has nothing of an empty list', () => {
    expect(at(0, 0)).toEqual({ from: 0, to: 0 });
  });
});
