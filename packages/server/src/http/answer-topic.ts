import { ROUTES, type RouteName } from '@berth/core/api';
import { BerthError } from '@berth/core/errors';
import type { Route } from '@berth/core/route';
import { auditFailure, auditSuccess } from './audit-request.ts';
import { authorise } from './authorise.ts';
import { contextOf, type Output } from './context-of.ts';
import { toBerthError } from './errors.ts';
import type { EventSink } from './event-writer.ts';
import type { HandlerContext, TopicRequest } from './handler.ts';
import type { Mount } from './mount-routes.ts';
import type { RoutedRequest } from './request-state.ts';

/**
 * One event stream of several over one connection: a request inside a request. It goes the way that it would go by itself (authorised
 * by its own route, audited as that, parsed by its schemas) with the outer request's actor, id and address; only its events go
 * elsewhere. Resolves when the stream has ended; rejects with why it cannot be had, or broke.
 */
export async function answerTopic(mount: Mount, outer: RoutedRequest, topic: TopicRequest): Promise<void> {
  const { route, params, query } = findEventStream(topic.address);
  const { state } = outer;
  const request: RoutedRequest = {
    id: outer.id,
    ip: outer.ip,
    method: route.definition.method,
    params,
    query,
    body: undefined,
    headers: topic.position === undefined ? {} : { 'last-event-id': topic.position },
    state: { ...state, route, draft: {}, audited: false, log: state.log.child({ topic: route.name }) },
  };
  try {
    const { actor } = state;
    const scope =
      actor && (await authorise(mount, { route: route.definition, actor, raw: request }, request.state.draft));
    const context = contextOf(mount, { request, scope, output: outputInto(topic.events) });
    await auditSuccess(mount, request);
    await handlerOf(mount, route.name)(context);
  } catch (thrown) {
    const error = toBerthError(thrown);
    await auditFailure(mount, request, error.status);
    if (error.status >= 500) request.state.log.warn({ err: error.details.cause ?? error }, 'a topic broke');
    throw error;
  }
}

type StreamHandler = (context: HandlerContext<RouteName>) => Promise<unknown>;

function handlerOf(mount: Mount, name: RouteName): StreamHandler {
  return (mount.handlers as Partial<Record<RouteName, unknown>>)[name] as StreamHandler;
}

function outputInto(events: EventSink): Output {
  return {
    setHeader: () => undefined,
    openEvents: () => events,
    openStream: refuse,
    followTopic: refuse,
  };
}

function refuse(): never {
  throw new Error('a topic has events and nothing else');
}

/** Streams of events; neither downloads nor this very stream. */
const TOPIC_ROUTES: readonly RouteName[] = ['streamEvents', 'streamLogs', 'streamMetrics'];

interface FoundStream {
  route: { name: RouteName; definition: Route };
  params: Record<string, string>;
  query: Record<string, string | string[]>;
}

function findEventStream(address: string): FoundStream {
  const url = new URL(`/api${address}`, 'http://topic');
  for (const name of TOPIC_ROUTES) {
    const definition: Route = ROUTES[name];
    const params = paramsOf(definition.path, url.pathname);
    if (params) return { route: { name, definition }, params, query: queryOf(url.searchParams) };
  }
  throw new BerthError('not_found', 'There is no event stream at this address; see /api/docs for all there are');
}

function paramsOf(pattern: string, path: string): Record<string, string> | undefined {
  const wanted = pattern.split('/');
  const given = path.split('/');
  if (wanted.length !== given.length) return undefined;
  const params: Record<string, string> = {};
  for (const [at, part] of wanted.entries()) {
    const value = given[at] ?? '';
    if (part.startsWith(':')) params[part.slice(1)] = value;
    else if (part !== value) return undefined;
  }
  return params;
}

/** As the web server reads a query: a name that comes twice is a list. */
function queryOf(search: URLSearchParams): Record<string, string | string[]> {
  const names = [...new Set(search.keys())];
  return Object.fromEntries(
    names.map((name) => {
      const values = search.getAll(name);
      return [name, values.length === 1 ? (values[0] ?? '') : values];
    }),
  );
}
