import type { RouteName } from '@berth/core/api';
import { parseInput } from '@berth/core/parse';
import type { Route } from '@berth/core/route';
import type { Clock } from '@berth/kube/client/clock';
import type { FastifyReply } from 'fastify';
import type { z } from 'zod';
import type { Access } from '../live/access-check.ts';
import { auditInTransaction } from './audit-request.ts';
import type { Scope } from './authorise.ts';
import { currentAccess } from './current-access.ts';
import { createEventWriter } from './event-writer.ts';
import type { HandlerContext } from './handler.ts';
import type { Mount } from './mount-routes.ts';
import { auditDraft, header, type RoutedRequest } from './request-state.ts';

/** Where an answer goes that is not one value. */
export type Output = Pick<HandlerContext<RouteName>, 'setHeader' | 'openStream' | 'openEvents' | 'followTopic'>;

/** What a handler is given: the request, parsed, and what it may do. */
export function contextOf(
  mount: Mount,
  { request, scope, output }: { request: RoutedRequest; scope: Scope; output: Output },
): HandlerContext<RouteName> {
  const { state } = request;
  const definition = state.route?.definition as Route;
  return {
    params: parse(definition.params, request.params, 'The address'),
    query: parse(definition.query, request.query, 'The query'),
    body: parse(definition.body, request.body, 'The request'),
    actor: state.actor,
    scope,
    request: {
      id: request.id,
      address: request.ip,
      header: (name: string) => header(request, name),
      signal: state.stop.signal,
      get log() {
        return state.log;
      },
    },
    audit: auditDraft(state.draft),
    transaction: (work, options) =>
      mount.database.transaction(async (transaction) => {
        const result = await work(transaction);
        await auditInTransaction(mount, request, transaction);
        return result;
      }, options),
    ...output,
    access: () => accessOf(mount, request),
  } as HandlerContext<RouteName>;
}

function parse(schema: z.ZodType | undefined, input: unknown, what: string): unknown {
  return schema ? parseInput(schema, input ?? {}, what) : undefined;
}

export function outputOf(reply: FastifyReply, timer: Clock): Omit<Output, 'followTopic'> {
  return {
    setHeader: (name, value) => {
      reply.header(name, value);
    },
    openStream: (contentType) => openStream(reply, contentType),
    openEvents: () => createEventWriter(openStream(reply, 'text/event-stream'), timer),
  };
}

/** Fastify hands over the socket; the headers that were set so far still go with it. */
function openStream(reply: FastifyReply, contentType: string) {
  const headers = reply.getHeaders();
  reply.hijack();
  reply.raw.writeHead(200, {
    ...(headers as Record<string, string | string[]>),
    'content-type': contentType,
    // A proxy that collects an answer before passing it on would hold back every event.
    'x-accel-buffering': 'no',
  });
  reply.raw.flushHeaders();
  return reply.raw;
}

async function accessOf(mount: Mount, request: RoutedRequest): Promise<Access> {
  const { route, actor } = request.state;
  return route && actor ? currentAccess(mount, actor, { route: route.definition, raw: request }) : 'signed_out';
}
