import { type Agent, type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '../../client/clock.ts';
import type { Endpoint } from './endpoints.ts';

export interface UpstreamCall {
  method: string;
  path: string;
  headers: string[];
  /** None: a connection of its own, closed afterwards. */
  agent: Agent | undefined;
}

/** What a pod answers: a message, or for a handshake its side of the connection. */
export type UpstreamAnswer =
  | { kind: 'response'; message: IncomingMessage }
  | { kind: 'upgrade'; message: IncomingMessage; socket: Socket; head: Buffer };

/** A request whose connection stands and of which nothing was sent yet; it may still go to another endpoint instead. */
export interface UpstreamRequest {
  request: ClientRequest;
  answer: Promise<UpstreamAnswer>;
}

/** The connection could not be made: the pod has seen nothing. */
export class ConnectError extends Error {
  constructor(endpoint: Endpoint, cause: unknown) {
    super(`cannot connect to ${endpoint.host}:${endpoint.port}`, { cause });
    this.name = 'ConnectError';
  }
}

const CONNECT_TIMEOUT_MS = 5_000;
const MAX_HEADER_BYTES = 64 * 1024;

export function openUpstream(endpoint: Endpoint, call: UpstreamCall, clock: Clock): Promise<UpstreamRequest> {
  return new Promise((resolve, reject) => {
    const { host, port } = endpoint;
    const options = {
      ...call,
      agent: call.agent ?? false,
      host,
      port,
      setHost: false,
      maxHeaderSize: MAX_HEADER_BYTES,
    };
    const request = httpRequest(options);
    const answer = answerOf(request);
    // An answer that nobody waits for, since the connection failed or the client left.
    answer.catch(() => undefined);
    const fail = (error: unknown) => reject(new ConnectError(endpoint, error));
    const cancelTimeout = clock.after(CONNECT_TIMEOUT_MS, () => request.destroy(new Error('connecting took too long')));
    const connected = () => {
      cancelTimeout();
      request.off('error', fail);
      resolve({ request, answer });
    };
    request.once('error', fail);
    request.once('close', cancelTimeout);
    request.once('socket', (socket) => {
      if (socket.connecting) socket.once('connect', connected);
      else connected();
    });
  });
}

function answerOf(request: ClientRequest): Promise<UpstreamAnswer> {
  return new Promise((resolve, reject) => {
    request.once('response', (message) => resolve({ kind: 'response', message }));
    request.once('upgrade', (message, socket, head) =>
      resolve({ kind: 'upgrade', message, socket: socket as Socket, head }),
    );
    // Stays for the life of the request: a late error without a listener would end the process.
    request.on('error', reject);
  });
}
