import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { createWebSocketStream, WebSocket } from 'ws';
import type { Credentials, KubeConfig, KubeSocket, SocketOptions } from './client.ts';
import { errorOfAnswer, transportError } from './http-error.ts';

/** WebSockets to one API server: the same address, TLS and credentials as its other requests. */
export interface Sockets {
  open(path: string, options: SocketOptions): Promise<KubeSocket>;
  /** Cuts all that are open. */
  close(): void;
}

const HANDSHAKE_TIMEOUT_MS = 30_000;
const TCP_KEEP_ALIVE_MS = 15_000;
/** Far above what a kubelet puts into one message. */
const LARGEST_MESSAGE_BYTES = 4 * 2 ** 20;
const LONGEST_REFUSAL_BYTES = 64 * 1024;

/** The server's answer when it did not change to WebSocket. */
interface Refusal {
  code: number;
  body: string;
}

export function createSockets(config: KubeConfig, userAgent: string): Sockets {
  const open = new Set<Duplex>();
  let closed = false;

  async function attempt(path: string, options: SocketOptions): Promise<KubeSocket | Refusal> {
    const credentials = config.credentials ? await config.credentials.current() : config;
    if (closed) throw new Error('the client is closed');
    options.signal?.throwIfAborted();
    const socket = connect(config, { path, credentials, userAgent, protocols: options.protocols });
    const answer = await handshake(socket, options.signal);
    if ('code' in answer) return answer;
    const { frames } = answer;
    open.add(frames);
    // Not the stream's own end: it comes only once somebody has read it to there.
    socket.once('close', () => open.delete(frames));
    if (closed) frames.destroy();
    return answer;
  }

  return {
    async open(path, options) {
      const name = `WebSocket ${config.server}${path.split('?')[0]}`;
      const answer = await attempt(path, options)
        .then((first) => {
          if (!('code' in first) || first.code !== 401 || !config.credentials) return first;
          config.credentials.invalidate();
          return attempt(path, options);
        })
        .catch((error: unknown) => {
          options.signal?.throwIfAborted();
          throw transportError(name, error);
        });
      if ('code' in answer) throw errorOfAnswer(name, answer.code, answer.body);
      return answer;
    },
    close() {
      closed = true;
      for (const frames of open) frames.destroy();
    },
  };
}

function connect(
  config: KubeConfig,
  to: { path: string; credentials: Credentials; userAgent: string; protocols: readonly string[] },
): WebSocket {
  const server = config.server.replace(/^http/, 'ws').replace(/\/+$/, '');
  const { clientCertificate, clientKey, token } = to.credentials;
  return new WebSocket(server + to.path, [...to.protocols], {
    headers: { 'user-agent': to.userAgent, ...(token && { authorization: `Bearer ${token}` }) },
    handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
    maxPayload: LARGEST_MESSAGE_BYTES,
    perMessageDeflate: false,
    rejectUnauthorized: !config.insecureSkipTlsVerify,
    ...(config.ca && { ca: config.ca }),
    ...(clientCertificate && { cert: clientCertificate, key: clientKey }),
    ...(config.tlsServerName && { servername: config.tlsServerName }),
  });
}

function handshake(socket: WebSocket, signal: AbortSignal | undefined): Promise<KubeSocket | Refusal> {
  return new Promise((resolve, reject) => {
    const stop = () => socket.terminate();
    signal?.addEventListener('abort', stop, { once: true });
    socket.once('close', () => signal?.removeEventListener('abort', stop));
    socket.once('upgrade', ({ socket: connection }) => connection.setKeepAlive(true, TCP_KEEP_ALIVE_MS));
    // At once: what comes with the handshake's last packet would otherwise find nobody listening.
    socket.once('open', () => resolve({ protocol: socket.protocol, frames: framesOf(socket) }));
    socket.once('unexpected-response', (request, response) => {
      // The answer is read here, so nobody else ends the request.
      readRefusal(response)
        .then(resolve, reject)
        .finally(() => request.destroy());
    });
    socket.once('error', reject);
  });
}

function framesOf(socket: WebSocket): Duplex {
  const frames = createWebSocketStream(socket, { readableObjectMode: true });
  // A connection that breaks while nobody reads would otherwise end the process; whoever reads hears of it too.
  frames.on('error', () => undefined);
  // A WebSocket cannot close one direction alone: what is written after the end goes nowhere.
  frames.once('end', () => frames.destroy());
  return frames;
}

async function readRefusal(response: IncomingMessage): Promise<Refusal> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of response as AsyncIterable<Buffer>) {
    parts.push(part);
    size += part.length;
    if (size > LONGEST_REFUSAL_BYTES) break;
  }
  return { code: response.statusCode ?? 500, body: Buffer.concat(parts).toString('utf8') };
}
