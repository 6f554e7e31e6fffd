import type { FastifyInstance } from 'fastify';
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export interface Metrics {
  registry: Registry;
  requestSeconds: Histogram<'route' | 'method' | 'code'>;
  openStreams: Gauge;
  openSockets: Gauge;
}

const BUCKETS_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return {
    registry,
    requestSeconds: new Histogram({
      name: 'http_request_duration_seconds',
      help: 'Time to answer a request, streams apart.',
      labelNames: ['route', 'method', 'code'],
      buckets: BUCKETS_SECONDS,
      registers: [registry],
    }),
    openStreams: new Gauge({
      name: 'berth_http_open_streams',
      help: 'Event and log streams that are open.',
      registers: [registry],
    }),
    openSockets: new Gauge({
      name: 'berth_http_open_sockets',
      help: 'Shells and forwarded ports that are open.',
      registers: [registry],
    }),
  };
}

export function countRequests(app: FastifyInstance, metrics: Metrics): void {
  app.addHook('onRequest', async (request, reply) => {
    if (!isStream(request.routeOptions.config.route?.definition.output)) return;
    metrics.openStreams.inc();
    // Also of a client that goes away: a stream then never finishes, and there is no response to hook on.
    reply.raw.once('close', () => metrics.openStreams.dec());
  });
  app.addHook('onResponse', async (request, reply) => {
    const { route } = request.routeOptions.config;
    if (isStream(route?.definition.output)) return;
    metrics.requestSeconds.observe(
      { route: route?.name ?? 'other', method: request.method, code: String(reply.statusCode) },
      reply.elapsedTime / 1000,
    );
  });
}

function isStream(output: unknown): boolean {
  return output === 'stream';
}
