import type { IncomingMessage, Server } from 'node:http';
import { type Answer, html, json, seeOther, text } from '../runtime/answer.ts';
import { isForm, readFields } from '../runtime/read-body.ts';
import { isSameOrigin } from '../runtime/same-origin.ts';
import { AnsweredError, type AppRequest, createWebApp } from '../runtime/web-app.ts';
import { type EntryInput, LIMITS, parseEntry } from './entry.ts';
import { DatabaseUnavailable, type EntryStore } from './entry-store.ts';
import { guestbookPage } from './page.ts';
import type { Theme } from './theme.ts';

export interface GuestbookOptions {
  title: string;
  theme: Theme;
  store: EntryStore;
}

/** Routes: `/` page, `POST /entries` by form or JSON, `GET /entries` JSON, `/healthz` alive, `/readyz` database reachable. */
export function createGuestbook(options: GuestbookOptions): Server {
  return createWebApp(async (request) => {
    try {
      return await route(options, request);
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable)) throw error;
      const message = 'The database is not there just now. Nothing was saved; try again in a moment.';
      throw new AnsweredError(503, message, { cause: error.cause });
    }
  });
}

async function route(options: GuestbookOptions, { method, path, raw }: AppRequest): Promise<Answer> {
  switch (`${method} ${path}`) {
    case 'GET /':
      return html(200, guestbookPage({ ...options, entries: await options.store.list() }));
    case 'GET /entries':
      return json(200, { entries: await options.store.list() });
    case 'POST /entries':
      return addEntry(options, raw);
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
  const input = await readFields(request, LIMITS.bodyBytes);
  const parsed = parseEntry(input);
  if ('problem' in parsed) return refuse(options, { request, message: parsed.problem, draft: input });
  const entry = await options.store.add(parsed.entry);
  return isForm(request) ? seeOther('/') : json(201, entry);
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

function problem(request: IncomingMessage, status: number, message: string): Answer {
  return isForm(request) ? text(status, message) : json(status, { error: message });
}
