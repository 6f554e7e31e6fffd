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

type Limited = Pick<ChartSeries, 'values' | 'limit'>;

/** How high a chart reaches: over what is used, and over the limits that are not so far above it that they would press the lines flat. */
export function topOf(series: readonly Limited[]): number {
  const tops = series.map(({ values, limit = 0 }) => {
    const most = summaryOf(values).most ?? 0;
    return most >= limit * LIMIT_IN_SIGHT ? Math.max(most, most > 0 ? limit : 0) : most;
  });
  return Math.max(0, ...tops);
}
const LIMIT_IN_SIGHT = 0.05;

/** What is higher is drawn at the upper edge, as one that lies above it. */
export function limitInSight({ limit }: Limited, all: readonly Limited[]): boolean {
  return limit !== undefined && limit <= topOf(all);
}

/** What is not in sight, in words for the upper edge: `limit of web 0.5`. */
export function limitsAbove(series: readonly ChartSeries[], words: (value: number) => string): string | undefined {
  const above = series.filter(
    (each) => each.limit !== undefined && !limitInSight(each, series) && hasValues(each.values),
  );
  if (above.length === 0) return undefined;
  if (series.length === 1) return `limit ${words(above[0]?.limit ?? 0)}`;
  return `limits: ${above.map(({ name, limit = 0 }) => `${name} ${words(limit)}`).join(', ')}`;
}

/** Where the axis of time begins: what came to be within the range is shown from then on, and at least a sixth of the range. */
export function beginOf(at: readonly number[], columns: readonly (readonly (number | null)[])[]): number {
  const [first = 0, last = 0] = [at[0], at.at(-1)];
  const measured = columns.flatMap((column) => {
    const index = column.findIndex((value) => value !== null);
    return at[index] ?? [];
  });
  if (measured.length === 0) return first;
  return Math.max(
    first,
    Math.min(...measured.map((time) => time - (last - first) * MARGIN), last - (last - first) / 6),
  );
}
const MARGIN = 0.01;

export function hasValues(values: readonly (number | null)[]): boolean {
  return values.some((value) => value !== null);
}

/** Cores for people, also of what uses next to nothing. */
export function coresOf(value: number): string {
  return String(Number(value.toFixed(value < 0.01 ? 4 : value < 1 ? 3 : 2)));
}

export function bytesOf(value: number): string {
  const mebibytes = value / 2 ** 20;
  if (mebibytes >= 1024) return `${Number((mebibytes / 1024).toFixed(2))} GiB`;
  return `${Number(mebibytes.toFixed(mebibytes < 10 ? 1 : 0))} MiB`;
}

export function rateOf(value: number): string {
  return `${Number(value.toFixed(value < 10 ? 2 : 1))}/s`;
}
