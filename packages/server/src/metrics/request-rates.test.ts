import { describe, expect, it } from 'vitest';
import { createRequestRates } from './request-rates.ts';

const counters = (counts: Record<string, number>) =>
  Object.entries(counts)
    .map(([key, value]) => `router_requests_total{host="${key.split(' ')[0]}",class="${key.split(' ')[1]}"} ${value}`)
    .join('\n');

describe('request rates', () => {
  it('are differences, with errors apart', () => {
    const rates = createRequestRates();
    expect(rates(counters({ 'a 2xx': 100, 'a 5xx': 1 }), 0)).toBeUndefined();
    expect(rates(counters({ 'a 2xx': 150, 'a 4xx': 10, 'a 5xx': 21 }), 10_000)).toEqual([
      { host: 'a', requests: 8, errors: 2 },
    ]);
    expect(rates(counters({ 'a 2xx': 150, 'a 4xx': 10, 'a 5xx': 21 }), 20_000)).toEqual([
      { host: 'a', requests: 0, errors: 0 },
    ]);
  });

  it('hold when the router has begun anew, and when a host is new', () => {
    const rates = createRequestRates();
    rates(counters({ 'a 2xx': 1000 }), 0);
    expect(rates(counters({ 'a 2xx': 20, 'b 2xx': 10 }), 10_000)).toEqual([
      { host: 'a', requests: 2, errors: 0 },
      { host: 'b', requests: 1, errors: 0 },
    ]);
  });

  it('are a gap after a long silence, not one tall spike', () => {
    const rates = createRequestRates();
    rates(counters({ 'a 2xx': 0 }), 0);
    expect(rates(counters({ 'a 2xx': 100_000 }), 600_000)).toBeUndefined();
    expect(rates(counters({ 'a 2xx': 100_010 }), 610_000)).toEqual([{ host: 'a', requests: 1, errors: 0 }]);
  });
});
