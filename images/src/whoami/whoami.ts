import type { IncomingMessage, Server } from 'node:http';
import { type Answer, html, text } from '../runtime/answer.ts';
import { type AppRequest, createWebApp, wantsHtml } from '../runtime/web-app.ts';
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
  return createWebApp((request) => route(options, request));
}

function route(options: WhoamiOptions, { method, path, query, raw }: AppRequest): Answer {
  if (method !== 'GET') return text(405, 'whoami answers GET and HEAD only');
  const sighting = observe(options, raw);
  switch (path) {
    case '/':
      return wantsHtml(raw) ? html(200, answerPage(sighting)) : text(200, answerText(sighting));
    case '/api':
      return indentedJson(sighting);
    case '/healthz':
      return text(200, 'ok');
    case '/env':
      return showEnvironment(options, query.get('encoding') === 'base64');
    default:
      return text(404, 'whoami has /, /api, /healthz and /env');
  }
}

function showEnvironment(options: WhoamiOptions, base64: boolean): Answer {
  if (!options.environment) return text(403, 'the environment is shown only with SHOW_ENV=true');
  const encoding = base64 ? 'base64' : 'utf8';
  const values = parseEnvironment(options.environment());
  return indentedJson(Object.fromEntries([...values].map(([name, value]) => [name, value.toString(encoding)])));
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

function indentedJson(value: unknown): Answer {
  const body = `${JSON.stringify(value, undefined, 2)}\n`;
  return { status: 200, type: 'application/json; charset=utf-8', body };
}
