import type { Revision } from '@berth/core/deployment';
import type { MetricPoint, Metrics } from '@berth/core/metrics';

/** One line of a chart. */
export interface ChartSeries {
  name: string;
  values: readonly (number | null)[];
  /** A variable of the style sheet. */
  colour: string;
  /** Drawn as a dashed line across. */
  limit?: number | undefined;
}

/** One measure of all services. */
export interface Chart {
  title: string;
  series: ChartSeries[];
  words: (value: number) => string;
  binary?: boolean;
  empty: string;
}

/** A moment worth knowing: a deploy or an update. */
export interface ChartMark {
  at: number;
  label: string;
}

/** Adds points that were measured since; what nobody measured in between is a gap, and the span of time stays as it was. */
export function withPoints(metrics: Metrics, points: readonly MetricPoint[]): Metrics {
  const { stepSeconds } = metrics;
  const known = metrics.at.at(-1) ?? 0;
  const fresh = points.filter(({ at }) => at > known).sort((a, b) => a.at - b.at);
  const last = fresh.at(-1)?.at;
  if (last === undefined) return metrics;
  const byTime = new Map(fresh.map((point) => [point.at, point]));
  const times: number[] = [];
  // Whoever comes back after hours has a new range fetched; here only what is missing at the end is filled.
  for (let at = Math.max(known, last - metrics.at.length * stepSeconds) + stepSeconds; at <= last; at += stepSeconds)
    times.push(at);
  const longer = <T>(column: readonly T[], valueAt: (at: number) => T): T[] =>
    [...column, ...times.map(valueAt)].slice(-metrics.at.length);
  return {
    ...metrics,
    at: longer(metrics.at, (at) => at),
    services: metrics.services.map((service) => ({
      ...service,
      cpu: longer(service.cpu, (at) => byTime.get(at)?.services[service.name]?.cpu ?? null),
      memory: longer(service.memory, (at) => byTime.get(at)?.services[service.name]?.memory ?? null),
    })),
    requests: longer(metrics.requests, (at) => byTime.get(at)?.requests ?? null),
    errors: longer(metrics.errors, (at) => byTime.get(at)?.errors ?? null),
  };
}

/** Revisions that were made in the time that is shown, oldest first. */
export function marksIn(at: readonly number[], revisions: readonly Revision[]): ChartMark[] {
  const [from = 0, until = 0] = [at[0], at.at(-1)];
  return revisions
    .map(({ revision, createdAt }) => ({ at: Date.parse(createdAt) / 1000, label: `r${revision}` }))
    .filter((mark) => mark.at >= from && mark.at <= until + 60)
    .sort((a, b) => a.at - b.at);
}

export interface SeriesSummary {
  now: number | null;
  mean: number | null;
  most: number | null;
}

export function summaryOf(values: readonly (number | null)[]): SeriesSummary {
  const known = values.filter((value) => value !== null);
  if (known.length === 0) return { now: null, mean: null, most: null };
  const sum = known.reduce((total, value) => total + value, 0);
  // The newest column may not be measured yet.
  return { now: values.at(-1) ?? values.at(-2) ?? null, mean: sum / known.length, most: Math.max(...known) };
}

/** A limit far above what is used would press the lines flat: then it is only written. */
export function limitInSight(series: Pick<ChartSeries, 'values' | 'limit'>): boolean {
  const { most } = summaryOf(series.values);
  return series.limit !== undefined && most !== null && most >= series.limit * LIMIT_IN_SIGHT;
}
const LIMIT_IN_SIGHT = 0.05;

export function hasValues(values: readonly (number | null)[]): boolean {
  return values.some((value) => value !== null);
}

/** Cores for people, also of what uses next to nothing. */
export function coresOf(value: number): string {
  if (value !== 0 && value < 0.01) return `${Number((value * 1000).toFixed(value < 0.001 ? 2 : 1))} m`;
  return String(Number(value.toFixed(value < 1 ? 3 : 2)));
}

export function bytesOf(value: number): string {
  const mebibytes = value / 2 ** 20;
  if (mebibytes >= 1024) return `${Number((mebibytes / 1024).toFixed(2))} GiB`;
  return `${Number(mebibytes.toFixed(mebibytes < 10 ? 1 : 0))} MiB`;
}

export function rateOf(value: number): string {
  return `${Number(value.toFixed(value < 10 ? 2 : 1))}/s`;
}
