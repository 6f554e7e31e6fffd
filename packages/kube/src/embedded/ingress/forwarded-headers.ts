import type { IncomingMessage } from 'node:http';

/** Headers that speak of one connection only (RFC 9110, 7.6.1), and of its framing, which each side sets for itself. */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
const FRAMING = new Set(['content-length', 'host']);

/** Whoever trusts these behind the router trusts the router: a client must not be able to write them. */
const FORWARDED = /^(x-forwarded-.*|forwarded|x-real-ip)$/i;

export interface ForwardOptions {
  trustForwarded: boolean;
  /** A WebSocket handshake passes the one hop-by-hop header that it is about. */
  upgrade: boolean;
}

/** The headers of the request to the pod, flat as Node's `rawHeaders`. Names keep their case, repeated ones stay repeated. */
export function requestHeaders(request: IncomingMessage, options: ForwardOptions): string[] {
  const dropped = connectionOptions(request);
  const headers: string[] = [];
  for (const [name, value] of pairs(request.rawHeaders)) {
    if (isHopByHop(name, dropped) || (FORWARDED.test(name) && !options.trustForwarded)) continue;
    if (options.trustForwarded && /^x-forwarded-for$/i.test(name)) continue;
    headers.push(name, value);
  }
  if (request.headers['transfer-encoding'] !== undefined) headers.push('Transfer-Encoding', 'chunked');
  else if (request.headers['content-length'] === undefined && mayHaveBody(request)) headers.push('Content-Length', '0');
  headers.push('Connection', options.upgrade ? 'Upgrade' : 'keep-alive');
  if (options.upgrade) headers.push('Upgrade', request.headers.upgrade ?? 'websocket');
  return [...headers, ...forwardedHeaders(request, options.trustForwarded)];
}

/** The headers of the answer to the client: the pod's, without those of its connection. */
export function responseHeaders(answer: IncomingMessage): string[] {
  const dropped = connectionOptions(answer);
  const headers: string[] = [];
  for (const [name, value] of pairs(answer.rawHeaders)) {
    if (!isHopByHop(name, dropped)) headers.push(name, value);
  }
  return headers;
}

export function hasBody(request: IncomingMessage): boolean {
  return request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0;
}

function forwardedHeaders(request: IncomingMessage, trusted: boolean): string[] {
  const { socket, headers } = request;
  const peer = (socket.remoteAddress ?? '').replace(/^::ffff:/, '');
  const earlier = headers['x-forwarded-for'];
  const chain = trusted && earlier ? `${[earlier].flat().join(', ')}, ${peer}` : peer;
  const added = ['X-Forwarded-For', chain];
  const own = { Host: headers.host ?? '', Proto: 'http', Port: String(socket.localPort ?? '') };
  for (const [name, value] of Object.entries(own)) {
    if (trusted && headers[`x-forwarded-${name.toLowerCase()}`] !== undefined) continue;
    added.push(`X-Forwarded-${name}`, value);
  }
  return added;
}

/** `Connection: close, X-Mine` makes X-Mine a header of this connection too; it cannot do so to what frames the message. */
function connectionOptions(message: IncomingMessage): Set<string> {
  const listed = (message.headers.connection ?? '').split(',').map((option) => option.trim().toLowerCase());
  return new Set(listed.filter((option) => !FRAMING.has(option)));
}

function isHopByHop(name: string, dropped: Set<string>): boolean {
  const lower = name.toLowerCase();
  return HOP_BY_HOP.has(lower) || dropped.has(lower);
}

function mayHaveBody({ method }: IncomingMessage): boolean {
  return method === 'POST' || method === 'PUT' || method === 'PATCH';
}

export function* pairs(raw: string[]): Generator<[string, string]> {
  for (let i = 0; i + 1 < raw.length; i += 2) yield [raw[i]!, raw[i + 1]!];
}
