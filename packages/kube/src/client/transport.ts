import { type Dispatcher, Pool } from 'undici';
import type { Credentials, KubeConfig } from './client.ts';

/**
 * Sends requests to one API server: TLS, connection reuse, credentials. Knows HTTP, not Kubernetes.
 *
 * Watches and other endless answers have a pool of their own, since each holds its connection: in one pool they would
 * starve the ordinary requests, or a storm of ordinary requests would open a connection each.
 */
export interface Transport {
  /** Rejects with whatever went wrong below HTTP; any status is an answer. */
  send(request: TransportRequest): Promise<Dispatcher.ResponseData>;
  close(): Promise<void>;
}

export interface TransportRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string | Uint8Array;
  /** The answer has no end in sight: a watch, a followed log. */
  endless: boolean;
  signal: AbortSignal;
  /** Throws when the request may not be sent any more. */
  permit?: (() => void) | undefined;
}

const ORDINARY_CONNECTIONS = 32;
const CONNECT_TIMEOUT_MS = 10_000;
const HEADERS_TIMEOUT_MS = 30_000;
const TCP_KEEP_ALIVE_MS = 15_000;

interface Pools {
  certificate: string | undefined;
  key: string | undefined;
  ordinary: Pool;
  endless: Pool;
}

export function createTransport(config: KubeConfig): Transport {
  const url = parseServer(config.server);
  const prefix = url.pathname.replace(/\/+$/, '');
  let pools: Pools | undefined;
  let closed = false;

  /** A renewed client certificate means new connections; those in use end in their own time. */
  function poolsFor(credentials: Credentials): Pools {
    const { clientCertificate: certificate, clientKey: key } = credentials;
    if (pools && pools.certificate === certificate && pools.key === key) return pools;
    const previous = pools;
    const make = (connections: number | null) => new Pool(url.origin, poolOptions(config, credentials, connections));
    pools = { certificate, key, ordinary: make(ORDINARY_CONNECTIONS), endless: make(null) };
    if (previous) closePools(previous).catch(ignoreCloseFailure);
    return pools;
  }

  async function attempt(request: TransportRequest): Promise<Dispatcher.ResponseData> {
    const credentials = config.credentials ? await config.credentials.current() : config;
    if (closed) throw new Error('the client is closed');
    request.signal.throwIfAborted();
    const chosen = poolsFor(credentials);
    const headers = { ...request.headers };
    if (credentials.token) headers.authorization = `Bearer ${credentials.token}`;
    request.permit?.();
    const answer = await (request.endless ? chosen.endless : chosen.ordinary).request({
      method: request.method as Dispatcher.HttpMethod,
      path: prefix + request.path,
      headers,
      body: request.body ?? null,
      signal: request.signal,
    });
    // Destroying an unfinished body makes it emit an error, which nobody awaits once its reader has left.
    answer.body.on('error', ignoreCloseFailure);
    return answer;
  }

  return {
    async send(request) {
      const answer = await attempt(request);
      if (answer.statusCode !== 401 || !config.credentials) return answer;
      await answer.body.dump();
      config.credentials.invalidate();
      return attempt(request);
    },
    async close() {
      closed = true;
      if (!pools) return;
      await Promise.all([pools.ordinary.destroy(), pools.endless.destroy()]);
    },
  };
}

function parseServer(server: string): URL {
  const url = URL.canParse(server) ? new URL(server) : undefined;
  if (url && (url.protocol === 'https:' || url.protocol === 'http:')) return url;
  throw new Error(`server ${JSON.stringify(server)} is not an http(s) URL: write it as https://host:port`);
}

function poolOptions(config: KubeConfig, credentials: Credentials, connections: number | null): Pool.Options {
  return {
    connections,
    pipelining: 1,
    // Ordinary requests have a deadline over all; the body of endless ones is watched by whoever reads it.
    headersTimeout: connections === null ? HEADERS_TIMEOUT_MS : 0,
    bodyTimeout: 0,
    connect: {
      timeout: CONNECT_TIMEOUT_MS,
      // Without probes a connection whose other side vanished would look alive for ever.
      keepAlive: true,
      keepAliveInitialDelay: TCP_KEEP_ALIVE_MS,
      ca: config.ca,
      cert: credentials.clientCertificate,
      key: credentials.clientKey,
      rejectUnauthorized: !config.insecureSkipTlsVerify,
      ...(config.tlsServerName ? { servername: config.tlsServerName } : {}),
    },
  };
}

async function closePools(pools: Pools): Promise<void> {
  await Promise.all([pools.ordinary.close(), pools.endless.close()]);
}

/** What fails while ending what nobody uses any more has no reader left to tell. */
function ignoreCloseFailure(_error: unknown): void {
  return;
}
