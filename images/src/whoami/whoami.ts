import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { answerPage, answerText } from './answer.ts';
import type { Sighting } from './sighting.ts';

export interface WhoamiOptions {
  greeting: string;
  hostname: string;
  podName: string | undefined;
  namespace: string | undefined;
  /** The process's environment as bytes, or undefined where `/env` is off: values may be secret. */
  environment: (() => Buffer) | undefined;
}

export function createWhoami(options: WhoamiOptions): Server {
  return createServer({ maxHeaderSize: 32 * 1024 }, (request, response) => {
    // A body is never used; drain it so that the connection can be kept.
    request.resume();
    send(response, route(options, request));
  });
}

interface Answer {
  status: number;
  type: 'text/plain' | 'text/html' | 'application/json';
  body: string;
}

function route(options: WhoamiOptions, request: IncomingMessage): Answer {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://whoami');
  if (request.method !== 'GET' && request.method !== 'HEAD') return text(405, 'whoami answers GET and HEAD only');
  const sighting = observe(options, request);
  switch (pathname) {
    case '/':
      return wantsHtml(request)
        ? { status: 200, type: 'text/html', body: answerPage(sighting) }
        : text(200, answerText(sighting));
    case '/api':
      return json(sighting);
    case '/healthz':
      return text(200, 'ok');
    case '/env':
      return showEnvironment(options, searchParams.get('encoding') === 'base64');
    default:
      return text(404, 'whoami has /, /api, /healthz and /env');
  }
}

function showEnvironment(options: WhoamiOptions, base64: boolean): Answer {
  if (!options.environment) return text(403, 'the environment is shown only with SHOW_ENV=true');
  const encoding = base64 ? 'base64' : 'utf8';
  const values = parseEnvironment(options.environment());
  return json(Object.fromEntries([...values].map(([name, value]) => [name, value.toString(encoding)])));
}

/** NAME=VALUE entries, each ended by NUL, as the kernel keeps them. */
export function parseEnvironment(block: Buffer): Map<string, Buffer> {
  const values = new Map<string, Buffer>();
  for (let start = 0; start < block.length; ) {
    const found = block.indexOf(0, start);
    const end = found < 0 ? block.length : found;
    const equals = block.indexOf('=', start);
    if (equals > start && equals < end)
      values.set(block.toString('utf8', start, equals), block.subarray(equals + 1, end));
    start = end + 1;
  }
  return values;
}

function observe(options: WhoamiOptions, request: IncomingMessage): Sighting {
  const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)] as const);
  return {
    greeting: options.greeting,
    hostname: options.hostname,
    ...(options.podName ? { pod: options.podName } : {}),
    ...(options.namespace ? { namespace: options.namespace } : {}),
    remoteAddress: `${request.socket.remoteAddress ?? ''}:${request.socket.remotePort ?? ''}`,
    method: request.method ?? 'GET',
    url: request.url ?? '/',
    httpVersion: request.httpVersion,
    headers: Object.fromEntries(headers),
  };
}

function wantsHtml(request: IncomingMessage): boolean {
  return (request.headers.accept ?? '').includes('text/html');
}

function text(status: number, body: string): Answer {
  return { status, type: 'text/plain', body: body.endsWith('\n') ? body : `${body}\n` };
}

function json(value: unknown): Answer {
  return { status: 200, type: 'application/json', body: `${JSON.stringify(value, undefined, 2)}\n` };
}

function send(response: ServerResponse, answer: Answer): void {
  response.writeHead(answer.status, {
    'content-type': `${answer.type}; charset=utf-8`,
    'content-length': Buffer.byteLength(answer.body),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
  });
  response.end(answer.body);
}
