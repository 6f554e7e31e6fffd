import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Registry } from 'prom-client';

/** Serves what a process counts, where there is no other listener: without a sign-in, so on loopback or inside a cluster. */
export interface MetricsListener {
  port: number;
  stop(): Promise<void>;
}

export interface MetricsListenerOptions {
  registry: Registry;
  host: string;
  port: number;
}

export async function listenForMetrics({ registry, host, port }: MetricsListenerOptions): Promise<MetricsListener> {
  const server = createServer((request, response) => {
    const { method, url = '' } = request;
    request.resume();
    if (method !== 'GET' && method !== 'HEAD') return answer(response, 404, 'there is only GET /metrics here\n');
    if (url.replace(/\?.*$/, '') !== '/metrics') return answer(response, 404, 'there is only GET /metrics here\n');
    registry.metrics().then(
      (text) => response.writeHead(200, { 'content-type': registry.contentType }).end(text),
      (error: unknown) => answer(response, 500, `${String(error)}\n`),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
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

function answer(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain' }).end(text);
}
