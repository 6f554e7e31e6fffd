import { describe, expect, it } from 'vitest';
import { timesOf, toMetrics, toPoints } from './metric-series.ts';
import type { MetricSample } from './sample-repository.ts';

const NOW = Date.UTC(2026, 10, 30, 12, 0, 7);
const sample = (secondsAgo: number, service: string, rest: Partial<MetricSample>): MetricSample => ({
  at: new Date(Date.UTC(2026, 10, 30, 12) - secondsAgo * 1000),
  service,
  ...rest,
});

describe('a range of measurements', () => {
  it('has one column a step, with gaps where nothing was measured', () => {
    const samples = [
      sample(30, 'web', { cpu: 0.123456789, memory: 1000.4 }),
      sample(10, 'web', { cpu: 0, memory: 2000 }),
      sample(10, '', { requests: 1.23456, errors: 0 }),
    ];
    const services = [{ name: 'web', cpuLimit: 1, memoryLimit: 4000 }, { name: 'db' }];
    const metrics = toMetrics('1h', NOW, { samples, services, notice: undefined });
    expect(metrics.at).toHaveLength(359);
    expect(metrics.at.at(-1)).toBe(Date.UTC(2026, 10, 30, 12) / 1000 - 10);
    expect(metrics.services[0]?.cpu.slice(-3)).toEqual([0.12346, null, 0]);
    expect(metrics.services[0]?.memory.slice(-3)).toEqual([1000, null, 2000]);
    expect(metrics.services[0]).toMatchObject({ cpuLimit: 1, memoryLimit: 4000 });
    expect(new Set(metrics.services[1]?.cpu)).toEqual(new Set([null]));
    expect(metrics.requests.slice(-2)).toEqual([null, 1.235]);
    expect(metrics.notice).toBeUndefined();
  });

  it.each([
    ['1h', 360],
    ['6h', 360],
    ['24h', 288],
    ['7d', 336],
  ] as const)('%s is %s steps', (range, count) => {
    const { from, until, step } = timesOf(range, NOW);
    expect((until - from) / step + 1).toBe(count);
    expect(until % step).toBe(0);
  });

  it('is told point by point as well', () => {
    const samples = [sample(20, 'web', { cpu: 1, memory: 2 }), sample(10, '', { requests: 3, errors: 1 })];
    const at = Date.UTC(2026, 10, 30, 12) / 1000;
    expect(toPoints(samples, ['web'])).toEqual([
      { at: at - 20, services: { web: { cpu: 1, memory: 2 } }, requests: null, errors: null },
      { at: at - 10, services: { web: { cpu: null, memory: null } }, requests: 3, errors: 1 },
    ]);
  });
});
