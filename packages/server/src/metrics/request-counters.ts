import { readSamples } from './prometheus-text.ts';

/** A counter of answered requests, since its router began. */
export interface RequestCounter {
  /** All that tells it from others of its router. */
  key: string;
  /** The public host that was asked, where the router tells it. */
  host?: string;
  /** The router's own name for the rule that led to an app, where it tells only that: see `ruleHosts`. */
  rule?: string;
  failed: boolean;
  value: number;
}

interface Dialect {
  metric: string;
  status: string;
  host?: string;
  rule?: string;
}

/** How routers count. Traefik needs `--metrics.prometheus.addRoutersLabels`, ingress-nginx its metrics per host, which is its default. */
const DIALECTS: readonly Dialect[] = [
  { metric: 'router_requests_total', host: 'host', status: 'class' },
  { metric: 'traefik_router_requests_total', rule: 'router', status: 'code' },
  { metric: 'nginx_ingress_controller_requests', host: 'host', status: 'status' },
];

/** Those of whatever router wrote the text. */
export function readRequestCounters(text: string): RequestCounter[] {
  return DIALECTS.flatMap((dialect) =>
    readSamples(text, dialect.metric).map(({ labels, value }) => {
      const host = dialect.host && labels[dialect.host];
      const rule = dialect.rule && labels[dialect.rule];
      return {
        key: JSON.stringify(labels),
        ...(host !== undefined && { host }),
        ...(rule !== undefined && { rule }),
        failed: (labels[dialect.status] ?? '').startsWith('5'),
        value,
      };
    }),
  );
}
