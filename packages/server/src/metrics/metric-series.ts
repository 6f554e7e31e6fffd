import { METRIC_RANGES, type MetricPoint, type MetricRange, type Metrics } from '@berth/core/metrics';
import type { MetricSample } from './sample-repository.ts';

/** From samples, as they are stored, to columns and points, as they are told. Pure. */
export interface MeasuredService {
  name: string;
  /** Of all pods together, now. */
  cpuLimit?: number;
  memoryLimit?: number;
}

/** The times of a range: one a step, the last is the step that `now` is in. */
export function timesOf(range: MetricRange, now: number): { from: number; until: number; step: number } {
  const { seconds, stepSeconds: step } = METRIC_RANGES[range];
  const until = Math.floor(now / 1000 / step) * step;
  return { from: until - seconds + step, until, step };
}

export function toMetrics(
  range: MetricRange,
  now: number,
  measured: { samples: readonly MetricSample[]; services: readonly MeasuredService[]; notice: string | undefined },
): Metrics {
  const { from, until, step } = timesOf(range, now);
  const { samples, services, notice } = measured;
  const byKey = new Map(samples.map((sample) => [`${seconds(sample.at)} ${sample.service}`, sample]));
  const at: number[] = [];
  for (let time = from; time <= until; time += step) at.push(time);
  // A round that is under way has not been measured yet, which is no gap.
  if (!samples.some((sample) => seconds(sample.at) === until)) at.pop();
  const column = (service: string, value: (sample: Partial<MetricSample>) => number | undefined, digits: number) =>
    at.map((time) => rounded(value(byKey.get(`${time} ${service}`) ?? NOTHING), digits));
  return {
    range,
    stepSeconds: step,
    at,
    services: services.map(({ name, cpuLimit, memoryLimit }) => ({
      name,
      cpu: column(name, ({ cpu }) => cpu, CPU_DIGITS),
      memory: column(name, ({ memory }) => memory, 0),
      ...(cpuLimit !== undefined && { cpuLimit }),
      ...(memoryLimit !== undefined && { memoryLimit }),
    })),
    requests: column('', ({ requests }) => requests, RATE_DIGITS),
    errors: column('', ({ errors }) => errors, RATE_DIGITS),
    ...(notice !== undefined && { notice }),
  };
}

/** One point for each time that anything was measured at. */
export function toPoints(samples: readonly MetricSample[], services: readonly string[]): MetricPoint[] {
  const byTime = new Map<number, MetricSample[]>();
  for (const sample of samples) byTime.set(seconds(sample.at), [...(byTime.get(seconds(sample.at)) ?? []), sample]);
  return [...byTime].map(([at, all]) => {
    const of = (service: string) => all.find((each) => each.service === service) ?? NOTHING;
    return {
      at,
      services: Object.fromEntries(
        services.map((name) => [name, { cpu: rounded(of(name).cpu, CPU_DIGITS), memory: rounded(of(name).memory, 0) }]),
      ),
      requests: rounded(of('').requests, RATE_DIGITS),
      errors: rounded(of('').errors, RATE_DIGITS),
    };
  });
}

const NOTHING: Partial<MetricSample> = {};
const CPU_DIGITS = 5;
const RATE_DIGITS = 3;

export function seconds(at: Date): number {
  return Math.floor(at.getTime() / 1000);
}

export function rounded(value: number | undefined, digits: number): number | null {
  return value === undefined ? null : Number(value.toFixed(digits));
}
