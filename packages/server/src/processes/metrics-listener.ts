import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Registry } from 'prom-client';
import { answerProbe, type Probes } from './probes.ts';

/** Serves what a process counts, where there is no other listener: without a sign-in, so on loopback or inside a cluster. */
export interface MetricsListener {
  port: number;
  stop(): Promise<void>;
}

export interface MetricsPlace {
  metricsPort: number | undefined;
  metricsBind: string;
}

/** Undefined where no port is set. With probes it answers them too, for a process that has no other listener. */
export async function listenForMetrics(
  registry: Registry,
  { metricsPort, metricsBind }: MetricsPlace,
  probes?: Probes,
): Promise<MetricsListener | undefined> {
  if (metricsPort === undefined) return undefined;
  const server = createServer((request, response) => {
    request.resume();
    reply(request).then(
      ({ status, text, type = 'text/plain' }) => response.writeHead(status, { 'content-type': type }).end(text),
      (error: unknown) => response.writeHead(500, { 'content-type': 'text/plain' }).end(`${String(error)}\n`),
    );
  });

  async function reply({ method, url = '' }: IncomingMessage): Promise<Reply> {
    const nothing = {
      status: 404,
      text: `there is only GET ${probes ? '/metrics, /livez and /readyz' : '/metrics'} here\n`,
    };
    if (method !== 'GET' && method !== 'HEAD') return nothing;
    if (url.replace(/\?.*$/, '') === '/metrics') {
      return { status: 200, text: await registry.metrics(), type: registry.contentType };
    }
    return (probes && (await answerProbe(probes, url))) ?? nothing;
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(metricsPort, metricsBind, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface Reply {
  status: number;
  text: string;
  type?: string;
}
