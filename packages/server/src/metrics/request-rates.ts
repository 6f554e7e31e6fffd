import { type RequestCounter, readRequestCounters } from './request-counters.ts';
import type { RouterReading } from './router-metrics.ts';

/** Answers a second of one public host, or of one of the router's rules where it tells no host. */
export interface RequestRate {
  host: string;
  requests: number;
  errors: number;
}

export interface RequestRates {
  rates: RequestRate[];
  /** Those whose `host` is the name of a rule. */
  rules: RequestRate[];
}

/** Counters that were last read longer ago say little of now: that is a gap. */
const LONGEST_GAP_MS = 35_000;

/**
 * Turns the routers' counters into rates. A counter that is lower than before began anew with its router; one that is new began at
 * nothing, unless its router is new too. The first reading, and one after a long silence, gives nothing: from when its counts are cannot be
 * known.
 */
export function createRequestRates(): (
  readings: readonly RouterReading[],
  monotonicMs: number,
) => RequestRates | undefined {
  let before: { counts: ReadonlyMap<string, ReadonlyMap<string, number>>; at: number } | undefined;
  return (readings, at) => {
    const previous = before;
    const seconds = previous ? (at - previous.at) / 1000 : 0;
    const sums = { rates: new Map<string, RequestRate>(), rules: new Map<string, RequestRate>() };
    const counts = new Map<string, ReadonlyMap<string, number>>();
    for (const { from, text } of readings) {
      const known = seconds > 0 ? previous?.counts.get(from) : undefined;
      const counters = readRequestCounters(text);
      counts.set(from, new Map(counters.map(({ key, value }) => [key, value])));
      if (known) for (const counter of counters) add(sums, counter, perSecond(counter, known, seconds));
    }
    before = { counts, at };
    if (!previous || seconds <= 0 || at - previous.at > LONGEST_GAP_MS) return undefined;
    return { rates: [...sums.rates.values()], rules: [...sums.rules.values()] };
  };
}

function perSecond({ key, value }: RequestCounter, known: ReadonlyMap<string, number>, seconds: number): number {
  const last = known.get(key) ?? 0;
  return (value < last ? value : value - last) / seconds;
}

function add(
  sums: Record<keyof RequestRates, Map<string, RequestRate>>,
  { host, rule, failed }: RequestCounter,
  requests: number,
): void {
  const to = host === undefined ? sums.rules : sums.rates;
  const name = host ?? rule ?? '';
  const rate = to.get(name) ?? { host: name, requests: 0, errors: 0 };
  rate.requests += requests;
  if (failed) rate.errors += requests;
  to.set(name, rate);
}
