import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type EntryInput, LIMITS, parseEntry } from './entry.ts';
import { DatabaseUnavailable, type EntryStore } from './entry-store.ts';
import { guestbookPage } from './page.ts';
import { isSameOrigin } from './same-origin.ts';
import type { Theme } from './theme.ts';

export interface GuestbookOptions {
  title: string;
  theme: Theme;
  store: EntryStore;
}

interface Answer {
  status: number;
  type?: string;
  body: string;
  headers?: Record<string, string>;
}

/** Routes: `/` page, `POST /entries` by form or JSON, `GET /entries` JSON, `/healthz` alive, `/readyz` database reachable. */
export function createGuestbook(options: GuestbookOptions): Server {
  return createServer({ maxHeaderSize: 32 * 1024 }, async (request, response) => {
    try {
      send(response, await route(options, request));
    } catch (error) {
      send(response, failure(error, wantsHtml(request)));
    }
  });
}

async function route(options: GuestbookOptions, request: IncomingMessage): Promise<Answer> {
  const { pathname } = new URL(request.url ?? '/', 'http://guestbook');
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  switch (`${method} ${pathname}`) {
    case 'GET /':
      return html(200, guestbookPage({ ...options, entries: await options.store.list() }));
    case 'GET /entries':
      return json(200, { entries: await options.store.list() });
    case 'POST /entries':
      return addEntry(options, request);
    case 'GET /healthz':
      return text(200, 'ok');
    case 'GET /readyz':
      return (await options.store.isReachable()) ? text(200, 'ok') : text(503, 'the database does not answer');
    default:
      return text(404, 'the guestbook has / and /entries');
  }
}

async function addEntry(options: GuestbookOptions, request: IncomingMessage): Promise<Answer> {
  // A page elsewhere must not write in this book through a visitor's browser.
  if (!isSameOrigin(request.headers)) return problem(request, 403, 'This form was sent from another site.');
  const body = await readBody(request);
  if (body === undefined) return problem(request, 413, 'The message is too large.');
  const input = parseBody(request.headers['content-type'] ?? '', body);
  if (!input) return problem(request, 415, 'Send a form or a JSON object.');
  const parsed = parseEntry(input);
  if ('problem' in parsed) return refuse(options, { request, message: parsed.problem, draft: input });
  const entry = await options.store.add(parsed.entry);
  return isForm(request) ? { status: 303, body: '', headers: { location: '/' } } : json(201, entry);
}

async function refuse(
  options: GuestbookOptions,
  refusal: { request: IncomingMessage; message: string; draft: Record<string, unknown> },
): Promise<Answer> {
  if (!isForm(refusal.request)) return json(422, { error: refusal.message });
  const entries = await options.store.list();
  const draft = refusal.draft as Partial<EntryInput>;
  return html(422, guestbookPage({ ...options, entries, problem: refusal.message, draft }));
}

function parseBody(contentType: string, body: Buffer): Record<string, unknown> | undefined {
  if (contentType.startsWith('application/x-www-form-urlencoded')) {
    return Object.fromEntries(new URLSearchParams(body.toString('utf8')));
  }
  if (!contentType.startsWith('application/json')) return undefined;
  try {
    const parsed: unknown = JSON.parse(body.toString('utf8'));
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** Undefined when the body is over the limit; the rest of it is drained, so that the refusal arrives. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= LIMITS.bodyBytes) chunks.push(chunk);
    if (size > 64 * LIMITS.bodyBytes) break;
  }
  return size > LIMITS.bodyBytes ? undefined : Buffer.concat(chunks);
}

function failure(error: unknown, page: boolean): Answer {
  const unavailable = error instanceof DatabaseUnavailable;
  console.error(`${error instanceof Error ? error.message : error}: ${causeOf(error)}`);
  const message = unavailable
    ? 'The database is not there just now. Nothing was saved; try again in a moment.'
    : 'Something went wrong here. Nothing was saved; try again.';
  const answer = page ? text(unavailable ? 503 : 500, message) : json(unavailable ? 503 : 500, { error: message });
  return unavailable ? { ...answer, headers: { 'retry-after': '5' } } : answer;
}

function causeOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error ? cause.message : 'no further cause';
}

function problem(request: IncomingMessage, status: number, message: string): Answer {
  return isForm(request) ? text(status, message) : json(status, { error: message });
}

function isForm(request: IncomingMessage): boolean {
  return (request.headers['content-type'] ?? '').startsWith('application/x-www-form-urlencoded');
}

function wantsHtml(request: IncomingMessage): boolean {
  return (request.headers.accept ?? '').includes('text/html');
}

function text(status: number, body: string): Answer {
  return { status, type: 'text/plain', body: `${body}\n` };
}

function json(status: number, value: unknown): Answer {
  return { status, type: 'application/json', body: `${JSON.stringify(value)}\n` };
}

function html(status: number, body: string): Answer {
  return { status, type: 'text/html', body };
}

function send(response: ServerResponse, answer: Answer): void {
  response.writeHead(answer.status, {
    ...(answer.type ? { 'content-type': `${answer.type}; charset=utf-8` } : {}),
    'content-length': Buffer.byteLength(answer.body),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'same-origin',
    'content-security-policy':
      "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    ...answer.headers,
  });
  response.end(answer.body);
}
