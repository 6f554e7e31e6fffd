import type { IncomingMessage } from 'node:http';
import { BerthError } from '@berth/core/errors';
import { COME_BACK, PING_EVERY_SECONDS } from '@berth/core/shell';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Gauge } from 'prom-client';
import { type WebSocket, WebSocketServer } from 'ws';
import { header } from './request-state.ts';
import { routeUpgrades } from './upgrades.ts';

/**
 * WebSockets of routes whose output is `socket`. One is admitted when everything else about its request was found right, and
 * opened after the audit record is written. From then on it is pinged: whoever does not answer has gone, even if TCP says otherwise.
 */
export interface Sockets {
  /** Throws what is wrong with a handshake; the result switches protocols. */
  admit(request: FastifyRequest, reply: FastifyReply, wanted: { userId: string; protocol: string }): OpenSocket;
}
export type OpenSocket = () => Promise<WebSocket>;

export interface SocketOptions {
  pingEveryMs?: number;
  perUser?: number;
  /** Counts what is open. */
  gauge?: Pick<Gauge, 'inc' | 'dec'>;
}

/** At one server: it is this one's memory that they take. */
const PER_USER = 50;
const MAX_MESSAGE_BYTES = 1024 * 1024;
const CLOSE_GRACE_MS = 2_000;
/** RFC 6455, section 4.2.1: what a handshake must hold. */
const KEY = /^[+/0-9A-Za-z]{22}==$/;
const VERSION = '13';

export function createSockets(app: FastifyInstance, options: SocketOptions = {}): Sockets {
  const { pingEveryMs = PING_EVERY_SECONDS * 1000, perUser = PER_USER, gauge } = options;
  const upgradeOf = routeUpgrades(app);
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: MAX_MESSAGE_BYTES,
    perMessageDeflate: false,
    handleProtocols: (_offered, request) => protocols.get(request) ?? false,
  });
  const protocols = new WeakMap<IncomingMessage, string>();
  const headers = new WeakMap<IncomingMessage, string[]>();
  server.on('headers', (lines, request) => lines.push(...(headers.get(request) ?? [])));
  const counts = new Map<string, number>();
  const open = new Map<WebSocket, { answered: boolean }>();

  const pings = setInterval(() => {
    for (const [socket, state] of open) {
      // One that is not being read cannot have answered.
      if (!state.answered && !socket.isPaused) socket.terminate();
      state.answered = false;
      if (socket.readyState === socket.OPEN) socket.ping();
    }
  }, pingEveryMs);
  pings.unref();

  app.addHook('preClose', async () => {
    clearInterval(pings);
    for (const socket of open.keys()) {
      socket.close(COME_BACK, 'The server is stopping; another one may go on.');
      // One that was not being read could not be heard to agree.
      socket.resume();
    }
    setTimeout(() => {
      for (const socket of open.keys()) socket.terminate();
    }, CLOSE_GRACE_MS).unref();
  });

  function watch(socket: WebSocket): void {
    const state = { answered: true };
    open.set(socket, state);
    gauge?.inc();
    socket.on('pong', () => {
      state.answered = true;
    });
    // A message that breaks the protocol, or one that is too large: ws closes with the code that says so.
    socket.on('error', () => undefined);
    socket.once('close', () => {
      open.delete(socket);
      gauge?.dec();
    });
  }

  function takeSlot(userId: string, reply: FastifyReply): void {
    const taken = counts.get(userId) ?? 0;
    if (taken >= perUser) {
      throw new BerthError(
        'rate_limited',
        `You have ${perUser} shells and forwarded connections open, which is the most at a time; close one`,
      );
    }
    counts.set(userId, taken + 1);
    reply.raw.once('close', () => {
      const left = (counts.get(userId) ?? 1) - 1;
      if (left === 0) counts.delete(userId);
      else counts.set(userId, left);
    });
  }

  return {
    admit(request, reply, { userId, protocol }) {
      const upgrade = upgradeOf(request.raw);
      if (!upgrade) {
        reply.header('upgrade', 'websocket');
        throw new BerthError('upgrade_required', 'This address speaks WebSocket; ask with "Upgrade: websocket"');
      }
      requireHandshake(request, protocol);
      takeSlot(userId, reply);
      protocols.set(request.raw, protocol);
      headers.set(request.raw, headerLines(reply));
      return () =>
        new Promise((resolve, reject) => {
          if (upgrade.socket.destroyed) {
            reject(new Error('the client went away during its handshake'));
            return;
          }
          server.handleUpgrade(request.raw, upgrade.socket, upgrade.head, (socket) => {
            watch(socket);
            resolve(socket);
          });
        });
    },
  };
}

function requireHandshake(request: FastifyRequest, protocol: string): void {
  // A browser tells where a handshake comes from, and a cookie is a browser's: without an origin it is neither's.
  if (header(request, 'authorization') === undefined && header(request, 'origin') === undefined) {
    throw new BerthError('foreign_origin', 'A WebSocket with a cookie needs an Origin; programs send an API token');
  }
  const offered = (header(request, 'sec-websocket-protocol') ?? '').split(',').map((name) => name.trim());
  if (!offered.includes(protocol)) {
    throw new BerthError('invalid_input', `Ask with the header "Sec-WebSocket-Protocol: ${protocol}"`);
  }
  if (!KEY.test(header(request, 'sec-websocket-key') ?? '') || header(request, 'sec-websocket-version') !== VERSION) {
    throw new BerthError('invalid_input', `The handshake needs a Sec-WebSocket-Key and version ${VERSION}`);
  }
}

/** What was set so far, such as a longer login, still goes with the answer. */
function headerLines(reply: FastifyReply): string[] {
  return Object.entries(reply.getHeaders()).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((each) => `${name}: ${each}`),
  );
}
