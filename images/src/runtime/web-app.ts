import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type Answer, headersOf, json, text } from './answer.ts';
import { log, messageOf } from './log.ts';

export interface AppRequest {
  /** HEAD is asked as GET: Node leaves the body out. */
  method: string;
  path: string;
  query: URLSearchParams;
  raw: IncomingMessage;
  response: ServerResponse;
}

/** Undefined: the route has answered by itself. */
export type Route = (request: AppRequest) => Promise<Answer | undefined> | Answer | undefined;

/** A failure that is the caller's to mend, or that passes; its message is for them. */
export class AnsweredError extends Error {
  readonly status: number;

  constructor(status: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'AnsweredError';
    this.status = status;
  }
}

/** An HTTP server that answers by one function and logs one line a request. */
export function createWebApp(route: Route): Server {
  return createServer({ maxHeaderSize: 32 * 1024 }, (request, response) => {
    logWhenDone(request, response);
    answer(route, request, response).catch((error: unknown) => {
      log.error(`the answer could not be written: ${messageOf(error)}`);
      response.destroy();
    });
  });
}

async function answer(route: Route, raw: IncomingMessage, response: ServerResponse): Promise<void> {
  let result: Answer | undefined;
  try {
    const url = new URL(raw.url ?? '/', 'http://app');
    const method = raw.method === 'HEAD' ? 'GET' : (raw.method ?? 'GET');
    result = await route({ method, path: url.pathname, query: url.searchParams, raw, response });
  } catch (error) {
    result = failure(error, raw);
  }
  if (!result || response.headersSent) return;
  response.writeHead(result.status, headersOf(result));
  response.end(result.body);
  // What was not read of a body would stand in the way of the next request.
  raw.resume();
}

function failure(error: unknown, request: IncomingMessage): Answer {
  const known = error instanceof AnsweredError;
  const cause = error instanceof Error && error.cause ? `: ${messageOf(error.cause)}` : '';
  if (!known || error.status >= 500) log.error(`${messageOf(error)}${cause}`);
  const status = known ? error.status : 500;
  const message = known ? error.message : 'Something went wrong here. Nothing was changed; try again.';
  const body = wantsHtml(request) ? text(status, message) : json(status, { error: message });
  return status === 503 ? { ...body, headers: { 'retry-after': '5' } } : body;
}

export function wantsHtml(request: IncomingMessage): boolean {
  return (request.headers.accept ?? '').includes('text/html');
}

/** Probes come every few seconds and say nothing unless they fail. */
function logWhenDone(request: IncomingMessage, response: ServerResponse): void {
  const since = performance.now();
  response.once('close', () => {
    const isProbe = (request.headers['user-agent'] ?? '').startsWith('kube-probe');
    if (isProbe && response.statusCode < 400) return;
    const took = Math.round(performance.now() - since);
    const outcome = response.writableFinished ? String(response.statusCode) : `${response.statusCode} cut off`;
    const line = `${request.method} ${(request.url ?? '/').split('?')[0]} ${outcome} ${took} ms`;
    if (response.statusCode >= 500) log.error(line);
    else if (response.statusCode >= 400) log.warn(line);
    else log.info(line);
  });
}
