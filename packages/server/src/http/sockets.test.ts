import { request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { until } from '@berth/kube/client/testing/until';
import fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { createSockets } from './sockets.ts';

let app: FastifyInstance;
let port: number;
let open: Set<WebSocket>;
let readingStops: boolean;
beforeEach(async () => {
  open = new Set();
  const mine = open;
  readingStops = false;
  app = fastify();
  const sockets = createSockets(app, { pingEveryMs: 50, perUser: 2 });
  app.setErrorHandler(async (error: { status?: number }, _request, reply) =>
    reply.code(error.status ?? 500).send('no'),
  );
  app.get('/socket', async (request, reply) => {
    const accept = sockets.admit(request, reply, { userId: 'somebody', protocol: 'test' });
    reply.hijack();
    const socket = await accept();
    mine.add(socket);
    socket.once('close', () => mine.delete(socket));
    if (readingStops) socket.pause();
    return reply;
  });
  app.get('/plain', async (request) => ({ upgrade: request.headers.upgrade ?? 'none' }));
  await app.listen({ port: 0, host: '127.0.0.1' });
  port = (app.server.address() as AddressInfo).port;
});
afterEach(() => app.close());

const HANDSHAKE = [
  'GET /socket HTTP/1.1',
  'host: test',
  'upgrade: websocket',
  'connection: upgrade',
  'origin: http://test',
  'sec-websocket-version: 13',
  'sec-websocket-protocol: test',
  'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==',
];

/** A peer that says what it is told to, and never answers. */
function deafPeer(lines: readonly string[] = HANDSHAKE) {
  const connection = connect(port, '127.0.0.1');
  const peer = { heard: '', closed: false, connection };
  connection.write(`${lines.join('\r\n')}\r\n\r\n`);
  connection.on('data', (part) => {
    peer.heard += part.toString('latin1');
  });
  connection.on('error', () => undefined);
  connection.once('close', () => {
    peer.closed = true;
  });
  return peer;
}

describe('a socket', () => {
  it('is cut when its peer does not answer pings, and kept when it does', async () => {
    const client = new WebSocket(`ws://127.0.0.1:${port}/socket`, 'test', { origin: 'http://test' });
    const pings: number[] = [];
    client.on('ping', () => pings.push(1));
    const deaf = deafPeer();
    await until(() => deaf.heard.includes('101 Switching Protocols'));
    await until(() => deaf.closed);
    const before = pings.length;
    await until(() => pings.length > before + 2);
    expect([client.readyState, open.size]).toEqual([WebSocket.OPEN, 1]);
    client.terminate();
  });

  it('is kept while it is not being read, for then an answer cannot be heard', async () => {
    readingStops = true;
    const client = new WebSocket(`ws://127.0.0.1:${port}/socket`, 'test', { origin: 'http://test' });
    let pings = 0;
    client.on('ping', () => pings++);
    await until(() => pings > 3);
    expect(client.readyState).toBe(WebSocket.OPEN);
    client.terminate();
  });

  it('is refused when its person has too many, until one is closed', async () => {
    const first = new WebSocket(`ws://127.0.0.1:${port}/socket`, 'test', { origin: 'http://test' });
    const second = new WebSocket(`ws://127.0.0.1:${port}/socket`, 'test', { origin: 'http://test' });
    await until(() => open.size === 2);
    const third = deafPeer();
    await until(() => third.closed);
    expect(third.heard).toMatch(/^HTTP\/1.1 429 /);
    first.close();
    await until(() => open.size === 1);
    const fourth = deafPeer();
    await until(() => fourth.heard.startsWith('HTTP/1.1 101 '));
    fourth.connection.destroy();
    second.terminate();
  });

  it.each([
    ['no key', HANDSHAKE.filter((line) => !line.startsWith('sec-websocket-key'))],
    ['a strange version', [...HANDSHAKE.filter((line) => !line.includes('version')), 'sec-websocket-version: 7']],
    ['another protocol', [...HANDSHAKE.filter((line) => !line.includes('protocol')), 'sec-websocket-protocol: x']],
  ])('is refused with %s', async (_what, lines) => {
    const peer = deafPeer(lines);
    await until(() => peer.closed);
    expect(peer.heard).toMatch(/^HTTP\/1.1 400 /);
  });

  it('closes when the server does', async () => {
    const client = new WebSocket(`ws://127.0.0.1:${port}/socket`, 'test', { origin: 'http://test' });
    const code = new Promise((resolve) => client.once('close', resolve));
    await until(() => open.size === 1);
    await app.close();
    expect(await code).toBe(1012);
  });
});

describe('an offer to speak something else', () => {
  it.each([
    ['to an ordinary address', '/plain', 'websocket', 200],
    ['of HTTP/2', '/plain', 'h2c', 200],
    ['of HTTP/2 to a socket', '/socket', 'h2c', 426],
  ])('%s is answered as if it had not been made', async (_what, path, upgrade, status) => {
    const answer = await new Promise<number>((resolve, reject) => {
      const sent = request({ port, path, headers: { upgrade, connection: 'upgrade' }, agent: false }, (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      });
      sent.on('error', reject);
      sent.end();
    });
    expect(answer).toBe(status);
  });
});
