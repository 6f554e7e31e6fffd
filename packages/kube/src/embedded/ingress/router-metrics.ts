import { Counter, Histogram, type Registry } from 'prom-client';

/** Counts by the host as a rule writes it; hosts that nobody claims count together, since a client can make up any number. */
export interface RouterMetrics {
  request(host: string, status: number): void;
  /** Seconds from the request's headers to those of its answer. */
  answered(host: string, seconds: number): void;
  bytes(host: string, direction: 'in' | 'out', count: number): void;
}

const BUCKETS_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export function createRouterMetrics(registry: Registry): RouterMetrics {
  const registers = [registry];
  const requests = new Counter({
    name: 'router_requests_total',
    help: 'Requests by host and class of status',
    labelNames: ['host', 'class'],
    registers,
  });
  const bytes = new Counter({
    name: 'router_bytes_total',
    help: 'Bytes from clients to pods (in) and back (out), headers included',
    labelNames: ['host', 'direction'],
    registers,
  });
  const seconds = new Histogram({
    name: 'router_answer_seconds',
    help: 'From the headers of a request to those of the answer of a pod, upgrades apart',
    labelNames: ['host'],
    buckets: BUCKETS_SECONDS,
    registers,
  });
  return {
    request: (host, status) => requests.inc({ host, class: `${Math.floor(status / 100)}xx` }),
    answered: (host, taken) => seconds.observe({ host }, taken),
    bytes(host, direction, count) {
      if (count > 0) bytes.inc({ host, direction }, count);
    },
  };
}
