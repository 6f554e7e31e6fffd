import type { Agent, IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { pipeline } from 'node:stream';
import { type Clock, delay } from '../../client/clock.ts';
import type { EndpointPicker } from './endpoints.ts';
import { hasBody, pairs, requestHeaders, responseHeaders } from './forwarded-headers.ts';
import { ConnectError, openUpstream, type UpstreamAnswer, type UpstreamRequest } from './upstream.ts';

/**
 * Passes one request to one of several endpoints and the answer back, both as streams.
 *
 * Any request goes on to another endpoint while no connection can be made: no pod has seen it. One that only reads and has no
 * body is also sent again when the connection breaks before an answer: always over kept connections, which the pod may just
 * have closed, and a few times over new ones, since the pod may have been killed. Whatever may not be sent twice gets a new
 * connection, so that it never meets one that was just closed.
 */
export interface ProxyOptions {
  agent: Agent;
  clock: Clock;
  trustForwarded: boolean;
}

export interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  /** A way through the endpoints, from another one each time it is asked for. */
  endpoints: () => EndpointPicker;
  /** How long to go on while no connection can be made. */
  patienceMs: number;
  /** Of a WebSocket handshake: the client's connection. */
  upgrade?: Upgrade;
  /** Bytes sent to the pod. */
  onSent?: (bytes: number) => void;
  /** The headers of an answer are there. */
  onAnswer?: () => void;
}

export interface Upgrade {
  socket: Socket;
  head: Buffer;
  onOpen: (close: () => void) => void;
}

/** Nothing took the request: an answer is still to be made. */
export type ProxyOutcome = 'done' | 'unreachable' | 'failed';

const READS = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE']);
const BETWEEN_ATTEMPTS_MS = 100;
const MOST_KEPT_CONNECTIONS = 20;
const MOST_NEW_CONNECTIONS = 3;
const TCP_KEEP_ALIVE_MS = 30_000;

export async function proxy(exchange: Exchange, options: ProxyOptions): Promise<ProxyOutcome> {
  const { request, response } = exchange;
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const repeatable = !exchange.upgrade && !hasBody(request) && READS.has(request.method ?? '');
  const broken = { kept: 0, fresh: 0 };
  for (;;) {
    const fresh = !repeatable || broken.fresh > 0 || broken.kept === MOST_KEPT_CONNECTIONS;
    const upstream = await connect(exchange, options, { fresh, gone: gone.signal });
    if (!upstream) return gone.signal.aborted ? 'done' : 'unreachable';
    const error = await pass(exchange, upstream, gone.signal);
    if (error === undefined || gone.signal.aborted || response.headersSent) return 'done';
    broken[upstream.request.reusedSocket ? 'kept' : 'fresh']++;
    if (!repeatable || !isReset(error) || broken.fresh === MOST_NEW_CONNECTIONS) return 'failed';
  }
}

/** Returns what went wrong, if anything did. */
async function pass(exchange: Exchange, upstream: UpstreamRequest, gone: AbortSignal): Promise<unknown> {
  try {
    const answer = await send(exchange, upstream, gone);
    if (answer.kind === 'response') await relay(exchange, answer.message);
    else if (exchange.upgrade) joinSockets({ ...exchange, upgrade: exchange.upgrade }, answer);
    else throw new Error('the pod switched protocols unasked');
    return undefined;
  } catch (error) {
    upstream.request.destroy();
    return error;
  } finally {
    // Of an upgraded connection they are counted at its end.
    if (!exchange.upgrade) exchange.onSent?.(sentBytes(upstream));
  }
}

async function connect(
  exchange: Exchange,
  options: ProxyOptions,
  { fresh, gone }: { fresh: boolean; gone: AbortSignal },
): Promise<UpstreamRequest | undefined> {
  const { request } = exchange;
  const { clock, trustForwarded } = options;
  const call = {
    method: request.method ?? 'GET',
    path: request.url ?? '/',
    headers: requestHeaders(request, { trustForwarded, upgrade: exchange.upgrade !== undefined }),
    agent: fresh ? undefined : options.agent,
  };
  const endpoint = exchange.endpoints();
  const giveUpAt = clock.monotonic() + exchange.patienceMs;
  for (let tried = 0; !gone.aborted; tried++) {
    const next = endpoint(tried);
    if (next) {
      try {
        return await openUpstream(next, call, clock);
      } catch (error) {
        if (!(error instanceof ConnectError)) throw error;
        if (endpoint(tried + 1)) continue;
      }
    }
    // Every endpoint of this moment was tried: wait for another moment.
    if (clock.monotonic() >= giveUpAt) return undefined;
    tried = -1;
    await delay(clock, BETWEEN_ATTEMPTS_MS, gone);
  }
  return undefined;
}

function send(
  exchange: Exchange,
  { request: upstream, answer }: UpstreamRequest,
  gone: AbortSignal,
): Promise<UpstreamAnswer> {
  const { request, response } = exchange;
  if (gone.aborted) upstream.destroy();
  gone.addEventListener('abort', () => upstream.destroy());
  upstream.on('continue', () => response.writeContinue());
  // Not a pipeline: when the pod answers without reading the rest, its answer must still reach the client.
  if (hasBody(request)) request.pipe(upstream);
  else upstream.end();
  return answer;
}

function relay({ response, onAnswer }: Exchange, message: IncomingMessage): Promise<void> {
  onAnswer?.();
  response.writeHead(message.statusCode ?? 502, message.statusMessage ?? '', responseHeaders(message));
  // The first event of a stream may be far away; its headers are not.
  response.flushHeaders();
  message.once('end', () => {
    if (message.rawTrailers.length > 0) response.addTrailers([...pairs(message.rawTrailers)]);
  });
  return new Promise((resolve) => {
    // When the pod breaks off, the client's connection is cut too: an answer that ended well would look complete.
    pipeline(message, response, () => resolve());
  });
}

function joinSockets(exchange: Exchange & { upgrade: Upgrade }, answer: UpstreamAnswer & { kind: 'upgrade' }): void {
  const { upgrade, response } = exchange;
  const { message, socket: pod } = answer;
  const { socket: client } = upgrade;
  response.statusCode = message.statusCode ?? 101;
  response.detachSocket(client);
  const lines = [...pairs(message.rawHeaders)].map(([name, value]) => `${name}: ${value}\r\n`);
  client.write(`HTTP/1.1 ${message.statusCode} ${message.statusMessage}\r\n${lines.join('')}\r\n`, 'latin1');
  if (answer.head.length > 0) client.write(answer.head);
  if (upgrade.head.length > 0) pod.write(upgrade.head);
  // Nothing else tells a quiet peer from one that vanished; there is no idle limit.
  for (const socket of [client, pod]) socket.setKeepAlive(true, TCP_KEEP_ALIVE_MS);
  client.pipe(pod);
  pod.pipe(client);
  // What was read from one side still has to reach the other before that is closed.
  const close = () => {
    client.destroySoon();
    pod.destroySoon();
  };
  pod.on('error', close);
  client.once('close', close);
  pod.once('close', () => {
    exchange.onSent?.(pod.bytesWritten);
    close();
  });
  upgrade.onOpen(close);
}

function isReset(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return code === 'ECONNRESET' || code === 'EPIPE';
}

/** Of a connection that is kept, bytesWritten counts earlier requests too. */
function sentBytes({ request }: UpstreamRequest): number {
  const socket = request.socket as (typeof request.socket & { [COUNTED]?: number }) | null;
  if (!socket) return 0;
  const bytes = socket.bytesWritten - (socket[COUNTED] ?? 0);
  socket[COUNTED] = socket.bytesWritten;
  return bytes;
}

const COUNTED = Symbol('bytes of earlier requests');
