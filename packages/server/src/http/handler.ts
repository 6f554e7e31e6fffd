import type { ServerResponse } from 'node:http';
import type { ROUTES, RouteBody, RouteName, RouteOutput, RouteParams, RouteQuery } from '@berth/core/api';
import type { Permission } from '@berth/core/permissions';
import type { WebSocket } from 'ws';
import type { Actor } from '../auth/actor.ts';
import type { Transaction, TransactionOptions } from '../db/database.ts';
import type { Logger } from '../logger.ts';
import type { EventSink } from './event-writer.ts';
import type { ReadyJson } from './ready-json.ts';

/**
 * A noun answers for routes of `core/api.ts` with a record of handlers by the routes' names. By the time one is called the
 * request is authenticated, authorised at its scope and parsed. What it throws becomes the problem that is sent.
 */
export type Handlers<N extends RouteName = RouteName> = { [K in N]: Handler<K> };
export type Handler<N extends RouteName> = (context: HandlerContext<N>) => Promise<Answer<N>>;
type Answer<N extends RouteName> = (typeof ROUTES)[N] extends { output: 'socket' }
  ? SocketAnswer
  : RouteOutput<N> | (N extends KeptRoute ? ReadyJson : never);
/** Routes whose answers are kept as text. */
type KeptRoute = 'listDeployments';

/** What comes of a request for a socket: the handler has found everything right, and does nothing before the audit record is written. */
export interface SocketAnswer {
  /** The subprotocol, which the client has to offer. */
  protocol: string;
  /** Takes over the open socket. */
  serve(socket: WebSocket): Promise<void>;
}

export interface HandlerContext<N extends RouteName> {
  actor: (typeof ROUTES)[N]['permission'] extends 'public' ? undefined : Actor;
  /** What the permission was checked against. */
  scope: ScopeOf<N>;
  params: RouteParams<N>;
  query: RouteQuery<N>;
  body: RouteBody<N>;
  request: RequestInfo;
  /** What the audit log will say of this request besides who, what and when. */
  audit: AuditDraft;
  /**
   * As `database.transaction`, and the audit record is written at the end of it: both happen, or neither. A handler
   * that changes nothing in the database need not call it; the record is then written after it.
   */
  transaction<T>(work: (transaction: Transaction) => Promise<T>, options?: TransactionOptions): Promise<T>;
  setHeader(name: string, value: string): void;
  /** Sends the head of an answer that is written piece by piece (routes whose output is `stream`). Throw what is wrong before. */
  openStream(contentType: string): ServerResponse;
  /** The same for an event stream. Where it is one of several over one connection, its events go there. */
  openEvents(): EventSink;
  /** Answers another event stream's address inside this one, as if this actor had asked for it by itself: see `answer-topic.ts`. */
  followTopic(topic: TopicRequest): Promise<void>;
  /** For streams: asks again whether this actor is still signed in and may still read this. */
  access(): Promise<'granted' | 'signed_out' | 'access_removed'>;
}

export interface RequestInfo {
  id: string;
  /** The client's, also behind the router. */
  address: string;
  /** Value of a header; the name in lower case. */
  header(name: string): string | undefined;
  /** Aborted when the client has gone or the server is stopping (its reason is then `shutting_down`). */
  signal: AbortSignal;
  log: Logger;
}

export interface TopicRequest {
  /** What follows `/api` in the stream's address. */
  address: string;
  /** Where to go on, as `Last-Event-ID`. */
  position: string | undefined;
  events: EventSink;
}

export interface AuditDraft {
  /** Names of what changed, never values. */
  detail(text: string): void;
  /** The id or name of what was made, when the path does not say it. */
  target(text: string): void;
  /** Where a request without a scope (creating an organization) turned out to belong. */
  belongsTo(place: { teamId?: string; organizationId?: string }): void;
  /** Who it was, when that is known only after the request was let in: signing in. */
  by(person: { userId: string; email: string }): void;
}

export interface TeamScope {
  teamId: string;
  organizationId: string;
  permissions: ReadonlySet<Permission>;
}

export interface OrganizationScope {
  organizationId: string;
  permissions: ReadonlySet<Permission>;
}

type ScopeOf<N extends RouteName> = (typeof ROUTES)[N]['scope'] extends 'team' | 'deployment'
  ? TeamScope
  : (typeof ROUTES)[N]['scope'] extends 'organization'
    ? OrganizationScope
    : undefined;

/** What `app.ts` is given by the deployment noun. */
export type DeploymentRouteName =
  | 'listDeployments'
  | 'createDeployment'
  | 'previewDeployment'
  | 'previewUpdate'
  | 'getDeployment'
  | 'updateDeployment'
  | 'stopDeployment'
  | 'startDeployment'
  | 'restartDeployment'
  | 'pauseDeployment'
  | 'resumeDeployment'
  | 'scaleService'
  | 'rollBackDeployment'
  | 'cloneDeployment'
  | 'getRemoval'
  | 'deleteDeployment'
  | 'listRevisions'
  | 'getRevision'
  | 'listDeploymentActivity'
  | 'streamLogs'
  | 'downloadLogs'
  | 'openShell'
  | 'forwardPort'
  | 'listActivity'
  | 'streamEvents'
  | 'streamLive'
  | 'getMetrics'
  | 'streamMetrics'
  | 'listCurrentUse'
  | 'getUsage';

export interface DeploymentRoutes {
  handlers: Handlers<DeploymentRouteName>;
  /** The team that owns a deployment, or undefined when there is none. */
  teamOfDeployment(id: string): Promise<string | undefined>;
}
