import type { z } from 'zod';
import type { Route } from './route.ts';
import { ACCOUNT_ROUTES } from './routes/account-routes.ts';
import { DEPLOYMENT_ROUTES } from './routes/deployment-routes.ts';
import { TEMPLATE_ROUTES } from './routes/template-routes.ts';
import { TENANT_ROUTES } from './routes/tenant-routes.ts';
import { WATCHING_ROUTES } from './routes/watching-routes.ts';

/**
 * The REST contract: the server mounts it, OpenAPI is made from it, the SPA and the CLI call through it. A route without a
 * permission does not compile; `public` is written out where nobody needs to be signed in.
 */
export const ROUTES = {
  ...ACCOUNT_ROUTES,
  ...TENANT_ROUTES,
  ...TEMPLATE_ROUTES,
  ...DEPLOYMENT_ROUTES,
  ...WATCHING_ROUTES,
} as const satisfies Record<string, Route>;

export type RouteName = keyof typeof ROUTES;
type RouteOf<N extends RouteName> = (typeof ROUTES)[N];
type Parsed<R, K extends string> =
  R extends Record<K, infer S> ? (S extends z.ZodType ? z.output<S> : undefined) : undefined;
type Given<R, K extends string> =
  R extends Record<K, infer S> ? (S extends z.ZodType ? z.input<S> : undefined) : undefined;

/** What a handler receives and answers, by the route's name. */
export type RouteParams<N extends RouteName> = Parsed<RouteOf<N>, 'params'>;
export type RouteQuery<N extends RouteName> = Parsed<RouteOf<N>, 'query'>;
export type RouteBody<N extends RouteName> = Parsed<RouteOf<N>, 'body'>;
export type RouteOutput<N extends RouteName> = Parsed<RouteOf<N>, 'output'>;
/** What a client sends. */
export interface RouteInput<N extends RouteName> {
  params?: Given<RouteOf<N>, 'params'>;
  query?: Given<RouteOf<N>, 'query'>;
  body?: Given<RouteOf<N>, 'body'>;
}

/** State changes carry this header: a foreign page cannot send it without a preflight, which is refused. */
export const CSRF_HEADER = 'x-berth-request';
export const IDEMPOTENCY_HEADER = 'idempotency-key';
/** Of the server that answered: a page of an older release says that there is a newer one. */
export const VERSION_HEADER = 'x-berth-version';

export function isAudited(route: Pick<Route, 'method' | 'audit'>): boolean {
  return route.audit === undefined ? route.method !== 'GET' : route.audit === 'always';
}
