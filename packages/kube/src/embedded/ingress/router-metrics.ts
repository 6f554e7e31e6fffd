import { Counter, type Registry } from 'prom-client';

/** Counts by the host as a rule writes it; hosts that nobody claims count together, since a client can make up any number. */
export interface RouterMetrics {
  request(host: string, status: number): void;
  bytes(host: string, direction: 'in' | 'out', count: number): void;
}

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
  return {
    request: (host, status) => requests.inc({ host, class: `${Math.floor(status / 100)}xx` }),
    bytes(host, direction, count) {
      if (count > 0) bytes.inc({ host, direction }, count);
    },
  };
}
