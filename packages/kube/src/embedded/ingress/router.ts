import { createServer, type IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { Registry } from 'prom-client';
import type { KubeClient } from '../../client/client.ts';
import { type Clock, systemClock } from '../../client/clock.ts';
import type { Logger } from '../../client/logger.ts';
import { createCluster } from './cluster-routes.ts';
import type { Endpoint } from './endpoints.ts';
import { defaultPages, type PageKind, type Pages, sendPage } from './pages.ts';
import { type Exchange, proxy, type Upgrade } from './proxy.ts';
import { normalizeHost } from './route-table.ts';
import { createRouterMetrics } from './router-metrics.ts';
import { reparse, wantsWebSocket } from './upgrades.ts';
import { createUpstreamPool } from './upstream-pool.ts';

/**
 * An ingress controller of one process: it watches Ingress, Service and EndpointSlice, and passes requests to ready pods.
 *
 * A request finds its upstream in this order: a static host, then the Ingress rules, else a page says why not. What cannot
 * be told apart safely is refused: more than one Host, a target that is not a path, both Content-Length and
 * Transfer-Encoding (Node's parser sees to that). While the API server is away, the last known state goes on.
 */
export interface RouterOptions {
  client: KubeClient;
  host: string;
  port: number;
  /** Hosts that come before every Ingress. Their upstream may restart: a request waits up to 5 s for it. */
  staticRoutes?: { hosts: string[]; upstream: Endpoint }[];
  ingressClassName: string;
  logger: Logger;
  clock?: Clock;
  pages?: Pages;
  metrics?: Registry;
  /** Believe X-Forwarded headers of clients: only behind a proxy that writes them. */
  trustForwarded?: boolean;
  /** Written to the status of Ingresses. */
  hostname?: string;
}

export interface Router {
  port: number;
  /** Resolves when the first state of the cluster is known; until then unknown hosts get a page that says to wait. */
  ready: Promise<void>;
  /** Takes nothing new, lets requests end for a few seconds, then cuts what remains. */
  close(): Promise<void>;
}

const STATIC_PATIENCE_MS = 5_000;
/** Pods that were just replaced: what the API server knows reaches us within moments. */
const POD_PATIENCE_MS = 1_000;
const HEADERS_TIMEOUT_MS = 30_000;
const MAX_HEADER_BYTES = 32 * 1024;
const CLIENT_KEEP_ALIVE_MS = 65_000;
const CLOSE_GRACE_MS = 5_000;
const LINGER_MS = 1_000;

export async function startRouter(options: RouterOptions): Promise<Router> {
  const { clock = systemClock, pages = defaultPages, trustForwarded = false, metrics = new Registry() } = options;
  const logger = options.logger.child({ component: 'router' });
  const counts = createRouterMetrics(metrics);
  const pool = createUpstreamPool();
  const staticHosts = new Map<string, Endpoint>();
  for (const { hosts, upstream } of options.staticRoutes ?? []) {
    for (const host of hosts) staticHosts.set(normalizeHost(host), upstream);
  }
  const cluster = createCluster({ ...options, logger, clock, metrics, onEndpoints: pool.follow });
  const openSockets = new Set<() => void>();

  type Target = Pick<Exchange, 'endpoints' | 'patienceMs'> & { label: string; otherwise: PageKind };

  function targetOf(host: string, path: string): Target | { label: string; page: PageKind } {
    const upstream = staticHosts.get(host);
    if (upstream) {
      const endpoints = () => (tried: number) => (tried === 0 ? upstream : undefined);
      return { label: host, endpoints, patienceMs: STATIC_PATIENCE_MS, otherwise: 'starting' };
    }
    const route = cluster.match(host, path);
    if (!route) return { label: '', page: cluster.hasSynced() ? 'not-found' : 'starting' };
    if (cluster.endpoints(route.backend).length === 0) return { label: route.host, page: 'unavailable' };
    const endpoints = () => cluster.picker(route.backend);
    return { label: route.host, endpoints, patienceMs: POD_PATIENCE_MS, otherwise: 'unavailable' };
  }

  async function handle(request: IncomingMessage, response: ServerResponse, upgrade?: Upgrade): Promise<void> {
    const refusal = refuse(request);
    if (refusal) {
      response.writeHead(400, { 'content-type': 'text/plain', connection: 'close' }).end(`${refusal}\n`);
      return;
    }
    const host = normalizeHost(request.headers.host ?? '');
    const path = (request.url ?? '/').replace(/[?#].*$/s, '');
    const target = targetOf(host, path);
    count(target.label, response, upgrade);
    const answer = (kind: PageKind) => sendPage(request, response, { ...pages(kind, { host, path }), kind, host });
    if ('page' in target) {
      answer(target.page);
      return;
    }
    const since = clock.monotonic();
    const onSent = (bytes: number) => counts.bytes(target.label, 'in', bytes);
    const onAnswer = () => counts.answered(target.label, (clock.monotonic() - since) / 1000);
    const exchange = { ...target, request, response, onSent, onAnswer, ...(upgrade && { upgrade }) };
    const outcome = await proxy(exchange, { agent: pool.agent, clock, trustForwarded });
    if (outcome === 'unreachable') answer(target.otherwise);
    if (outcome === 'failed')
      response.writeHead(502, { connection: 'close' }).end('the app broke off the connection\n');
  }

  /** A kept connection outlives the exchange; an upgraded one is the exchange. */
  function count(label: string, response: ServerResponse, upgrade: Upgrade | undefined): void {
    const { socket } = response;
    const before = socket?.bytesWritten ?? 0;
    (upgrade?.socket ?? response).once('close', () => {
      counts.request(label, response.statusCode);
      if (socket) counts.bytes(label, 'out', socket.bytesWritten - before);
    });
  }

  /** Whatever goes wrong ends one exchange, never the process. */
  function serve(request: IncomingMessage, response: ServerResponse, upgrade?: Upgrade): void {
    request.on('error', (err) => logger.debug({ err }, 'client broke off'));
    response.on('error', (err) => logger.debug({ err }, 'client broke off'));
    if (!upgrade) response.once('finish', () => linger(request, clock));
    handle(request, response, upgrade).catch((err: unknown) => {
      logger.warn({ err, host: request.headers.host }, 'request failed');
      if (response.headersSent) response.destroy();
      else response.writeHead(502, { connection: 'close' }).end();
    });
  }

  const server = createServer(
    {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: HEADERS_TIMEOUT_MS,
      // A body may take as long as it takes: uploads stream.
      requestTimeout: 0,
      keepAliveTimeout: CLIENT_KEEP_ALIVE_MS,
    },
    serve,
  );
  server.on('checkContinue', serve);
  server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    if (!wantsWebSocket(request)) {
      reparse(server, request, { socket, head });
      return;
    }
    socket.on('error', (err) => logger.debug({ err }, 'client broke off'));
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    response.once('finish', () => socket.end());
    const onOpen = (close: () => void) => {
      openSockets.add(close);
      socket.once('close', () => openSockets.delete(close));
    };
    serve(request, response, { socket, head, onOpen });
  });

  await listen(server, options.host, options.port);
  server.on('error', (err) => logger.error({ err }, 'router could not accept'));
  cluster.start();
  const { port } = server.address() as AddressInfo;
  logger.info({ host: options.host, port }, 'router listens');
  return {
    port,
    ready: cluster.ready,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const close of openSockets) close();
      const cancel = clock.after(CLOSE_GRACE_MS, () => server.closeAllConnections());
      const timer = setInterval(() => server.closeIdleConnections(), 50);
      await closed;
      cancel();
      clearInterval(timer);
      pool.destroy();
      await cluster.stop();
    },
  };
}

/**
 * The answer is out and part of the body is not in. Closing now would reset the connection and could take the answer from the
 * client before it is read; what is left of a small body is soon read, what is left of a large one is not wanted.
 */
function linger(request: IncomingMessage, clock: Clock): void {
  if (request.complete) return;
  request.unpipe();
  request.resume();
  const cancel = clock.after(LINGER_MS, () => request.socket.destroy());
  request.once('close', () => {
    if (request.complete) cancel();
  });
}

/** Why a request cannot be passed on safely: pod and router could read it differently. */
function refuse(request: IncomingMessage): string | undefined {
  const hosts = request.rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === 'host').length;
  if (hosts > 1) return 'more than one Host header';
  if (!/^[\w.:[\]-]*$/.test(request.headers.host ?? '')) return 'the Host header is not a host';
  const target = request.url ?? '';
  if (!target.startsWith('/') && target !== '*') return 'the request target must be a path';
  return undefined;
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}
