import {
  createServer,
  request as httpRequest,
  type IncomingHttpHeaders,
  type RequestListener,
  type Server,
} from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { Registry } from 'prom-client';
import { createSilentLogger } from '../../../client/testing/silent-logger.ts';
import { ENDPOINT_SLICE, INGRESS, SERVICE } from '../../../schema/resources.ts';
import { type Router, type RouterOptions, startRouter } from '../router.ts';
import { createTinyCluster, type TinyCluster } from './tiny-cluster.ts';

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface RouterScene {
  cluster: TinyCluster;
  router: Router;
  metrics: Registry;
  /** A pod: a server on a port of its own. */
  pod(listener: RequestListener): Promise<Server>;
  /** An Ingress, a Service and one EndpointSlice with these pods, the ending ones not ready but serving. */
  expose(host: string, pods: Server[], ending?: Server[]): void;
  get(host: string, path?: string, headers?: Record<string, string>): Promise<Answer>;
  /** Writes bytes as they are and gives back all that comes. */
  speak(text: string): Promise<string>;
  end(): Promise<void>;
}

export function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

export async function makeRouterScene(options: Partial<RouterOptions> = {}): Promise<RouterScene> {
  const cluster = createTinyCluster();
  const metrics = new Registry();
  const logger = createSilentLogger();
  const fixed = { client: cluster.client, host: '127.0.0.1', port: 0, ingressClassName: 'test', logger, metrics };
  const router = await startRouter({ ...fixed, ...options });
  if (!options.client) await router.ready;
  const servers: Server[] = [];

  return {
    cluster,
    router,
    metrics,
    async pod(listener) {
      const server = createServer(listener);
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      servers.push(server);
      return server;
    },
    expose(host, pods, ending = []) {
      const name = host.replaceAll('.', '-');
      const metadata = { name, namespace: 'team' };
      // One slice for each port: pods of these tests share an address and differ in ports.
      const slices = [...pods.map((pod) => ({ pod, ready: true })), ...ending.map((pod) => ({ pod, ready: false }))];
      const wanted = new Set(slices.map(({ pod }) => `${name}-${portOf(pod)}`));
      for (const server of servers) {
        const slice = {
          apiVersion: 'v1',
          kind: 'EndpointSlice',
          metadata: { ...metadata, name: `${name}-${safePort(server)}` },
        };
        if (!wanted.has(slice.metadata.name)) cluster.remove(ENDPOINT_SLICE, slice);
      }
      for (const { pod, ready } of slices) {
        cluster.put(ENDPOINT_SLICE, {
          apiVersion: 'discovery.k8s.io/v1',
          kind: 'EndpointSlice',
          metadata: { ...metadata, name: `${name}-${portOf(pod)}`, labels: { 'kubernetes.io/service-name': name } },
          endpoints: [{ addresses: ['127.0.0.1'], conditions: { ready, serving: true, terminating: !ready } }],
          ports: [{ name: 'http', port: portOf(pod) }],
        });
      }
      cluster.put(SERVICE, {
        apiVersion: 'v1',
        kind: 'Service',
        metadata,
        spec: { ports: [{ name: 'http', port: 80 }] },
      });
      const backend = { service: { name, port: { name: 'http' } } };
      const rules = [{ host, http: { paths: [{ path: '/', pathType: 'Prefix', backend }] } }];
      const spec = { ingressClassName: 'test', rules };
      cluster.put(INGRESS, { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', metadata, spec });
    },
    get: (host, path, headers) => getThrough(router.port, { host, path, headers }),
    speak: (text) =>
      new Promise((resolve, reject) => {
        const socket = connect(router.port, '127.0.0.1');
        let heard = '';
        socket.setEncoding('latin1').on('data', (chunk) => {
          heard += chunk;
        });
        socket.on('close', () => resolve(heard)).on('error', reject);
        socket.write(text, 'latin1');
      }),
    async end() {
      for (const server of servers) {
        server.closeAllConnections();
        server.close();
      }
      await router.close();
    },
  };
}

function safePort(server: Server): number {
  return (server.address() as AddressInfo | null)?.port ?? 0;
}

/** What a counter stands at. */
export async function countOf(scene: RouterScene, name: string, labels: Record<string, string>): Promise<number> {
  const { values } = await scene.metrics.getSingleMetric(name)!.get();
  return values.find((one) => Object.entries(labels).every(([key, text]) => one.labels[key] === text))?.value ?? 0;
}

/** POST with a body, GET without; resolves to the status once the answer is read. */
export function send(port: number, body: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const method = body === '' ? 'GET' : 'POST';
    const headers = { host: 'app.test', ...(body !== '' && { 'content-length': String(body.length) }) };
    const request = httpRequest({ port, method, headers, agent: false }, (response) => {
      response.resume();
      response.on('error', reject);
      response.on('end', () => resolve(response.statusCode ?? 0));
    });
    request.on('error', reject);
    request.end(body);
  });
}

/** A GET over a connection of its own. */
export function getThrough(
  port: number,
  {
    host,
    path = '/',
    headers = {},
  }: { host: string; path?: string | undefined; headers?: Record<string, string> | undefined },
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const target = { host: '127.0.0.1', port, path, agent: false as const };
    const request = httpRequest({ ...target, headers: { host, ...headers } }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      const { headers: received, statusCode: status = 0 } = response;
      response.on('end', () => resolve({ status, headers: received, body: Buffer.concat(chunks).toString() }));
    });
    request.on('error', reject);
    request.end();
  });
}
