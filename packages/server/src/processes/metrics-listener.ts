import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Registry } from 'prom-client';

/** Serves what a process counts, on loopback only: there is no sign-in here. */
export interface MetricsListener {
  port: number;
  stop(): Promise<void>;
}

const LOOPBACK = '127.0.0.1';

export async function listenForMetrics(registry: Registry, port: number): Promise<MetricsListener> {
  const server = createServer((request, response) => {
    const { method, url = '' } = request;
    request.resume();
    if (url.replace(/\?.*$/, '') !== '/metrics' || (method !== 'GET' && method !== 'HEAD')) {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('there is only GET /metrics here\n');
      return;
    }
    registry.metrics().then(
      (text) => response.writeHead(200, { 'content-type': registry.contentType }).end(text),
      (error: unknown) => response.writeHead(500, { 'content-type': 'text/plain' }).end(`${String(error)}\n`),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, LOOPBACK, resolve);
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
