import {
  ROUTES,
  type RouteBody,
  type RouteName,
  type RouteOutput,
  type RouteParams,
  type RouteQuery,
} from '@berth/core/api';
import { BerthError, toProblem } from '@berth/core/errors';
import type { LiveEvent } from '@berth/core/live';
import type { LogEvent } from '@berth/core/log-event';
import { parseInput } from '@berth/core/parse';
import type { Route } from '@berth/core/route';

export interface FixtureRequest<N extends RouteName> {
  params: RouteParams<N>;
  query: RouteQuery<N>;
  body: RouteBody<N>;
  headers: Headers;
}
type Answer<N extends RouteName> = RouteOutput<N> | Response;
/** Answers by the routes' names; what is thrown becomes the problem that a server would send. */
export type FixtureHandlers = { [N in RouteName]?: (request: FixtureRequest<N>) => Answer<N> | Promise<Answer<N>> };

/**
 * A server of a few lines that keeps to the contract: what comes in is parsed, and what goes out is checked, by the same schemas
 * as everywhere. It is reached through `fetch`, so that nothing listens.
 */
export function fixtureFetch(handlers: FixtureHandlers): typeof fetch {
  return async (input, init) => {
    const url = new URL(String(input));
    const found = findRoute(init?.method ?? 'GET', url.pathname);
    const handler = found && (handlers[found.name] as ((request: unknown) => unknown) | undefined);
    if (!found || !handler) throw new TypeError('fetch failed', { cause: new Error(`no handler for ${url.pathname}`) });
    const { route } = found;
    try {
      const text = typeof init?.body === 'string' ? init.body : undefined;
      const request = {
        params: route.params && parseInput(route.params, found.params, 'The address'),
        query: route.query && parseInput(route.query, Object.fromEntries(url.searchParams), 'The query'),
        body: route.body && parseInput(route.body, text && JSON.parse(text), 'The request'),
        headers: new Headers(init?.headers),
      };
      return answer(route, await handler(request));
    } catch (error) {
      if (!(error instanceof BerthError)) throw error;
      return Response.json(toProblem(error), { status: error.status });
    }
  };
}

/** A whole event stream, sent at once. */
export function eventStream(events: readonly (LiveEvent | LogEvent)[]): Response {
  const text = events.map(
    (event, index) => `id: ${index + 1}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`,
  );
  return new Response(`: hello\n\n${text.join('')}`, { headers: { 'content-type': 'text/event-stream' } });
}

function answer(route: Route, value: unknown): Response {
  if (value instanceof Response) return value;
  if (route.output === undefined || route.output === 'stream' || route.output === 'socket')
    return new Response(undefined, { status: route.status ?? 204 });
  return Response.json(route.output.parse(value), { status: route.status ?? 200 });
}

function findRoute(method: string, pathname: string) {
  for (const [name, route] of Object.entries(ROUTES) as [RouteName, Route][]) {
    const pattern = new RegExp(`^${route.path.replace(/:(\w+)/g, '(?<$1>[^/]+)')}$`);
    const match = route.method === method ? pattern.exec(pathname) : undefined;
    if (match) return { name, route, params: { ...match.groups } };
  }
  return undefined;
}
