import {
  CSRF_HEADER,
  IDEMPOTENCY_HEADER,
  ROUTES,
  type RouteInput,
  type RouteName,
  type RouteOutput,
} from '@berth/core/api';
import { BerthError, problemSchema } from '@berth/core/errors';
import type { Route } from '@berth/core/route';
import { CliError, EXIT_CODES } from './exit-codes.ts';
import { whyUnreachable } from './unreachable.ts';

/** The REST contract, by the routes' names. Whatever is no success is thrown as a `BerthError` with the server's code. */
export interface ApiClient {
  url: string;
  call<N extends RouteName>(name: N, input?: CallInput<N>): Promise<RouteOutput<N>>;
  /** The raw answer: for streams, and for the cookie of a sign-in. */
  send<N extends RouteName>(name: N, input?: CallInput<N>): Promise<Response>;
  /** What a WebSocket of a route with `output: 'socket'` is opened with. */
  socketRequest<N extends RouteName>(name: N, input: RouteInput<N>): { url: string; headers: Record<string, string> };
}

export type CallInput<N extends RouteName> = RouteInput<N> & {
  headers?: Record<string, string>;
  idempotencyKey?: string;
  signal?: AbortSignal;
};

export interface ApiClientOptions {
  url: string;
  token: string | undefined;
  fetch: typeof fetch;
  version: string;
}

export function createApiClient(options: ApiClientOptions): ApiClient {
  async function send<N extends RouteName>(name: N, input: CallInput<N> = {}): Promise<Response> {
    const route: Route = ROUTES[name];
    const response = await request(`${options.url}${pathOf(route, input)}`, {
      method: route.method,
      headers: headersOf(route, input, options),
      ...(input.body !== undefined && { body: JSON.stringify(input.body) }),
      ...(input.signal && { signal: input.signal }),
    });
    if (!response.ok) throw await problemOf(response, options.url);
    return response;
  }

  async function request(url: string, init: RequestInit): Promise<Response> {
    try {
      return await options.fetch(url, init);
    } catch (error) {
      if (init.signal?.aborted) throw error;
      const { cause, remedy = START_IT } = whyUnreachable(error);
      throw new CliError(EXIT_CODES.failure, `${options.url} does not answer (${cause}): ${remedy}`);
    }
  }

  return {
    url: options.url,
    send,
    socketRequest(name, input) {
      const headers = headersOf(ROUTES[name], input, options);
      return {
        url: `${options.url}${pathOf(ROUTES[name], input)}`.replace(/^http/, 'ws'),
        headers: Object.fromEntries(headers),
      };
    },
    async call(name, input) {
      const response = await send(name, input);
      return (response.status === 204 ? undefined : await response.json()) as RouteOutput<typeof name>;
    },
  };
}

const START_IT = 'is Berth running? Start it with "berth up", or name another with --url';

function pathOf<N extends RouteName>(route: Route, input: RouteInput<N>): string {
  const params = (input.params ?? {}) as Record<string, string>;
  const path = route.path.replace(/:(\w+)/g, (_, key: string) => encodeURIComponent(params[key] ?? ''));
  const query = Object.entries((input.query ?? {}) as Record<string, unknown>).filter(
    ([, value]) => value !== undefined,
  );
  const pairs = query.flatMap(([key, value]) => [value].flat().map((each) => [key, String(each)]));
  const text = new URLSearchParams(pairs).toString();
  return text === '' ? path : `${path}?${text}`;
}

function headersOf<N extends RouteName>(route: Route, input: CallInput<N>, options: ApiClientOptions): Headers {
  const headers = new Headers({ 'user-agent': `berth/${options.version}`, ...input.headers });
  headers.set('accept', route.output === 'stream' ? 'text/event-stream' : 'application/json');
  if (options.token !== undefined) headers.set('authorization', `Bearer ${options.token}`);
  if (route.method !== 'GET') headers.set(CSRF_HEADER, '1');
  if (input.body !== undefined) headers.set('content-type', 'application/json');
  if (input.idempotencyKey !== undefined) headers.set(IDEMPOTENCY_HEADER, input.idempotencyKey);
  return headers;
}

async function problemOf(response: Response, url: string): Promise<Error> {
  const text = await response.text();
  const problem = problemSchema.safeParse(jsonOrUndefined(text)).data;
  if (!problem) {
    return new CliError(
      EXIT_CODES.failure,
      `${url} answered with ${response.status} but is no Berth: check the address`,
    );
  }
  const { fields, limit, right, suggestion } = problem;
  const after = Number(response.headers.get('retry-after') ?? Number.NaN);
  return new BerthError(problem.code, problem.detail, {
    ...{ fields, limit, right, suggestion },
    ...(Number.isFinite(after) && { retryAfterSeconds: after }),
  });
}

function jsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
