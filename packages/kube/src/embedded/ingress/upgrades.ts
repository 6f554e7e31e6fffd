import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { pairs } from './forwarded-headers.ts';

export function wantsWebSocket(request: IncomingMessage): boolean {
  return request.headers.upgrade?.toLowerCase() === 'websocket';
}

/**
 * Some clients offer `Upgrade: h2c` with ordinary requests, and a server may ignore the offer. Node, which hands every
 * upgrade over with the body unread, leaves no way to do so: the request is written back without the offer and parsed anew.
 * Passing the offer on instead would let a client speak HTTP/2 to the pod past all rules here.
 */
export function reparse(
  server: Server,
  request: IncomingMessage,
  { socket, head }: { socket: Duplex; head: Buffer },
): void {
  const lines = [`${request.method} ${request.url} HTTP/${request.httpVersion}`];
  for (const [name, value] of pairs(request.rawHeaders)) {
    const lower = name.toLowerCase();
    if (lower === 'upgrade' || lower === 'http2-settings') continue;
    lines.push(lower === 'connection' ? `${name}: ${withoutUpgrade(value)}` : `${name}: ${value}`);
  }
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
  server.emit('connection', socket);
}

function withoutUpgrade(connection: string): string {
  const rest = connection.split(',').filter((option) => !/^\s*(upgrade|http2-settings)\s*$/i.test(option));
  return rest.length === 0 ? 'keep-alive' : rest.join(',');
}
