import type { MetricPoint, Metrics } from '@berth/core/metrics';
import { describe, expect, it } from 'vitest';
import {
  beginOf,
  bytesOf,
  coresOf,
  limitInSight,
  limitsAbove,
  marksIn,
  rateOf,
  summaryOf,
  withPoints,
} from './metrics-data.ts';

const metrics: Metrics = {
  range: '1h',
  stepSeconds: 10,
  at: [10, 20, 30],
  services: [{ name: 'web', cpu: [1, null, 3], memory: [10, null, 30] }],
  requests: [1, 2, 3],
  errors: [0, 0, 0],
};
const point = (at: number, cpu: number): MetricPoint => ({
  at,
  services: { web: { cpu, memory: 1 } },
  requests: 7,
  errors: 1,
});

describe('measurements', () => {
  it('grow at the end, with gaps where nothing came, and never twice', () => {
    const grown = withPoints(metrics, [point(50, 5), point(30, 9), point(50, 5)]);
    expect(grown.at).toEqual([30, 40, 50]);
    expect(grown.services[0]?.cpu).toEqual([3, null, 5]);
    expect(grown.requests).toEqual([3, null, 7]);
    expect(withPoints(metrics, [point(30, 9)])).toBe(metrics);
  });

  it('hold as many columns as before, also after a long silence', () => {
    expect(withPoints(metrics, [point(10_000, 5)]).at).toEqual([9_980, 9_990, 10_000]);
  });

  it('are summed up without their gaps', () => {
    expect(summaryOf([1, null, 3])).toEqual({ now: 3, mean: 2, most: 3 });
    expect(summaryOf([1, 3, null]).now).toBe(3);
    expect(summaryOf([1, null, null]).now).toBeNull();
    expect(summaryOf([null])).toEqual({ now: null, mean: null, most: null });
  });

  it('show a limit where it would not press the lines flat', () => {
    const alone = (value: number | null) =>
      limitInSight({ values: [value], limit: 0.5 }, [{ values: [value], limit: 0.5 }]);
    expect(alone(0.4)).toBe(true);
    expect(alone(0.001)).toBe(false);
    expect(alone(null)).toBe(false);
    const beside = { values: [0.4], limit: 1 };
    const idle = { values: [0.001], limit: 0.5 };
    expect(limitInSight(idle, [idle, beside])).toBe(true);
  });

  it('name the limits that lie above what is shown', () => {
    const web = { name: 'web', colour: '', values: [0.001], limit: 0.5 };
    expect(limitsAbove([web], coresOf)).toBe('limit 0.5');
    expect(limitsAbove([web, { ...web, name: 'db', limit: 1 }], coresOf)).toBe('limits: web 0.5, db 1');
    expect(limitsAbove([{ ...web, values: [0.4] }], coresOf)).toBeUndefined();
    expect(limitsAbove([{ ...web, values: [null] }], coresOf)).toBeUndefined();
  });

  it('begin where something was measured first, and show a sixth of the range at least', () => {
    const at = Array.from({ length: 101 }, (_, index) => index * 10);
    const column = (from: number) => at.map((time) => (time >= from ? 1 : null));
    expect(beginOf(at, [column(0)])).toBe(0);
    expect(beginOf(at, [column(500), column(400)])).toBe(390);
    expect(beginOf(at, [column(990)])).toBeCloseTo(833.3, 0);
    expect(beginOf(at, [at.map(() => null)])).toBe(0);
  });

  it('are marked where something was deployed', () => {
    const revision = (number: number, seconds: number) =>
      ({ revision: number, createdAt: new Date(seconds * 1000).toISOString() }) as never;
    expect(marksIn([10, 20, 30], [revision(3, 25), revision(2, 12), revision(1, 5)])).toEqual([
      { at: 12, label: 'r2' },
      { at: 25, label: 'r3' },
    ]);
  });

  it.each([
    [coresOf(0), '0'],
    [coresOf(0.0004), '0.0004'],
    [coresOf(0.0042), '0.0042'],
    [coresOf(0.25), '0.25'],
    [coresOf(1.234), '1.23'],
    [bytesOf(5.25 * 2 ** 20), '5.3 MiB'],
    [bytesOf(300 * 2 ** 20), '300 MiB'],
    [bytesOf(1.5 * 2 ** 30), '1.5 GiB'],
    [rateOf(0.126), '0.13/s'],
    [rateOf(120), '120/s'],
  ])('are written for people: %s', (written, expected) => expect(written).toBe(expected));
});
