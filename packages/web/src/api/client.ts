import {
  CSRF_HEADER,
  IDEMPOTENCY_HEADER,
  ROUTES,
  type RouteInput,
  type RouteName,
  type RouteOutput,
  VERSION_HEADER,
} from '@berth/core/api';
import type { Route } from '@berth/core/route';
import { isProblem, problemOf, unreachable } from './problem.ts';
import { release } from './release.ts';

export type CallInput<N extends RouteName> = RouteInput<N> & {
  signal?: AbortSignal;
  /** The revision that was seen: the change is refused when somebody else made another meanwhile. */
  ifMatch?: number;
  /** One per thing a person asks for: sending it again gives the first answer. */
  idempotencyKey?: string;
};

const signedOutListeners = new Set<() => void>();

/** Called whenever an answer says that nobody is signed in any more. */
export function onSignedOut(listener: () => void): () => void {
  signedOutListeners.add(listener);
  return () => signedOutListeners.delete(listener);
}

/** Calls a route of the contract by name. Throws a `BerthProblem` for everything but success. */
export async function call<N extends RouteName>(name: N, input: CallInput<N> = {}): Promise<RouteOutput<N>> {
  const route: Route = ROUTES[name];
  const response = await send(route.method, urlOf(name, input), input);
  release.note(response.headers.get(VERSION_HEADER));
  if (!response.ok) {
    const problem = await problemOf(response);
    if (isProblem(problem, 'unauthenticated')) for (const listener of signedOutListeners) listener();
    throw problem;
  }
  return (response.status === 204 ? undefined : await response.json()) as RouteOutput<N>;
}

/** The address of a route with its parameters filled in. */
export function urlOf<N extends RouteName>(name: N, input: RouteInput<N>): string {
  const route: Route = ROUTES[name];
  const params = (input.params ?? {}) as Record<string, string>;
  const path = route.path.replace(/:(\w+)/g, (_, key: string) => encodeURIComponent(params[key] ?? ''));
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries((input.query ?? {}) as Record<string, unknown>)) {
    if (value !== undefined) query.set(key, String(value));
  }
  const text = query.toString();
  return text === '' ? path : `${path}?${text}`;
}

async function send(method: Route['method'], url: string, input: CallInput<RouteName>): Promise<Response> {
  const headers = new Headers({ accept: 'application/json' });
  if (method !== 'GET') headers.set(CSRF_HEADER, '1');
  if (input.body !== undefined) headers.set('content-type', 'application/json');
  if (input.ifMatch !== undefined) headers.set('if-match', `"${input.ifMatch}"`);
  if (input.idempotencyKey !== undefined) headers.set(IDEMPOTENCY_HEADER, input.idempotencyKey);
  const body = input.body === undefined ? undefined : JSON.stringify(input.body);
  try {
    return await fetch(url, { method, headers, body, signal: input.signal, credentials: 'same-origin' });
  } catch (error) {
    if (input.signal?.aborted) throw error;
    throw unreachable(error);
  }
}
