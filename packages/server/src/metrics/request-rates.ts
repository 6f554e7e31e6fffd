import { readSamples } from './prometheus-text.ts';

/** Answers a second of one public host. */
export interface RequestRate {
  host: string;
  requests: number;
  errors: number;
}

const COUNTER = 'router_requests_total';
/** Counters that were last read longer ago say little of now: that is a gap. */
const LONGEST_GAP_MS = 35_000;

/**
 * Turns the router's counters into rates. A counter that is lower than before began anew with its router; one that is new began at
 * nothing. The first reading, and one after a long silence, gives nothing: from when its counts are cannot be known.
 */
export function createRequestRates(): (text: string, monotonicMs: number) => RequestRate[] | undefined {
  let before: { counts: ReadonlyMap<string, number>; at: number } | undefined;
  return (text, at) => {
    const previous = before;
    const counts = new Map<string, number>();
    const rates = new Map<string, RequestRate>();
    const seconds = previous ? (at - previous.at) / 1000 : 0;
    for (const { labels, value } of readSamples(text, COUNTER)) {
      const { host = '', class: status = '' } = labels;
      const key = `${host} ${status}`;
      counts.set(key, value);
      if (!previous || seconds <= 0) continue;
      const known = previous.counts.get(key) ?? 0;
      const perSecond = (value < known ? value : value - known) / seconds;
      const rate = rates.get(host) ?? { host, requests: 0, errors: 0 };
      rate.requests += perSecond;
      if (status === '5xx') rate.errors += perSecond;
      rates.set(host, rate);
    }
    before = { counts, at };
    return previous && seconds > 0 && at - previous.at <= LONGEST_GAP_MS ? [...rates.values()] : undefined;
  };
}
