import type { RouteName } from '@berth/core/api';
import type { Route } from '@berth/core/route';
import type { FastifyRequest } from 'fastify';
import type { Actor } from '../auth/actor.ts';
import type { Logger } from '../logger.ts';
import type { AuditDraft } from './handler.ts';

/** What is known of one request so far; each step of the way adds to it. */
export interface RequestState {
  log: Logger;
  route?: { name: RouteName; definition: Route };
  actor?: Actor;
  /** What the audit record will say besides. */
  draft: AuditNotes;
  /** The record is in the database, committed. */
  audited: boolean;
  stop: AbortController;
}

export interface AuditNotes {
  detail?: string;
  target?: string;
  teamId?: string;
  organizationId?: string;
  by?: { userId: string; email: string };
  /** The scope turned out to be none of the actor's business. */
  denied?: boolean;
}

/** What authorisation, audit and handlers use of a request: one that came by itself, or one inside a stream of several. */
export type RoutedRequest = Pick<
  FastifyRequest,
  'id' | 'ip' | 'method' | 'params' | 'query' | 'body' | 'headers' | 'state'
>;

declare module 'fastify' {
  interface FastifyInstance {
    /** Those who follow something are told to go on elsewhere. A close does it too. */
    endStreams(): void;
  }
  interface FastifyRequest {
    state: RequestState;
  }
  interface FastifyContextConfig {
    route?: { name: RouteName; definition: Route };
  }
}

export function newRequestState(request: FastifyRequest, log: Logger): RequestState {
  const { route } = request.routeOptions.config;
  return {
    log: log.child({ requestId: request.id, ...(route && { route: route.name }) }),
    route,
    draft: {},
    audited: false,
    stop: new AbortController(),
  };
}

export function auditDraft(notes: AuditNotes): AuditDraft {
  return {
    detail: (text) => {
      notes.detail = text;
    },
    target: (text) => {
      notes.target = text;
    },
    belongsTo: (place) => Object.assign(notes, place),
    by: (person) => {
      notes.by = person;
    },
  };
}

export function header(request: Pick<FastifyRequest, 'headers'>, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

export function isMutation(route: Route): boolean {
  return route.method !== 'GET';
}
