import { CSRF_HEADER, ROUTES, type RouteName } from '@berth/core/api';
import { BerthError } from '@berth/core/errors';
import type { Route } from '@berth/core/route';
import { systemClock as systemTimer } from '@berth/kube/client/clock';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { type Authenticator, authenticate } from '../auth/authenticate.ts';
import type { LoginCookie } from '../auth/login-cookie.ts';
import { answerTopic } from './answer-topic.ts';
import { type Auditor, auditSuccess } from './audit-request.ts';
import { type Authoriser, authorise } from './authorise.ts';
import { contextOf, outputOf } from './context-of.ts';
import type { HandlerContext, Handlers, SocketAnswer, TopicRequest } from './handler.ts';
import { readyBytes } from './ready-json.ts';
import { header, isMutation } from './request-state.ts';
import type { Sockets } from './sockets.ts';

/**
 * The way of a request, in this order: security headers, request id, audit (its notes begin; the record is written with the answer),
 * own host and origin, authentication, authorisation, handler. Each step is a function below, in the order it is called.
 */
export interface Mount extends Authenticator, Authoriser, Auditor {
  handlers: Handlers;
  cookie: LoginCookie;
  sockets: Sockets;
  /** Compare answers with the contract: in tests, where a difference should be loud. */
  checkOutput: boolean;
}

export function mountRoutes(app: FastifyInstance, mount: Mount): void {
  requireOneHandlerEach(mount.handlers);
  for (const [name, definition] of Object.entries(ROUTES) as [RouteName, Route][]) {
    app.route({
      method: definition.method,
      url: definition.path,
      config: { route: { name, definition } },
      onRequest: async (request, reply) => authenticateRequest(mount, request, reply),
      handler: async (request, reply) => answer(mount, request, reply),
    });
  }
}

function requireOneHandlerEach(handlers: object): void {
  const missing = Object.keys(ROUTES).filter((name) => !Object.hasOwn(handlers, name));
  const unknown = Object.keys(handlers).filter((name) => !Object.hasOwn(ROUTES, name));
  if (missing.length === 0 && unknown.length === 0) return;
  throw new Error(
    `routes without a handler: [${missing.join(', ')}]; handlers without a route: [${unknown.join(', ')}]`,
  );
}

/** Before the body is read: nobody unknown makes us take in a megabyte. */
async function authenticateRequest(mount: Mount, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const { state } = request;
  const definition = state.route?.definition;
  const authorization = header(request, 'authorization');
  if (definition && isMutation(definition) && authorization === undefined && header(request, CSRF_HEADER) !== '1') {
    throw new BerthError('foreign_origin', `Send the header "${CSRF_HEADER}: 1" with every change, or an API token`);
  }
  if (definition?.permission === 'public') return;
  const cookie = mount.cookie.read(header(request, 'cookie'));
  const authenticated = await authenticate(mount, { authorization, cookie });
  if (!authenticated) {
    throw new BerthError('unauthenticated', 'Sign in first, or send an API token with "Authorization: Bearer"');
  }
  state.actor = authenticated.actor;
  state.log = state.log.child({ actor: authenticated.actor.userId });
  if (cookie !== undefined && authenticated.extendedTo) {
    reply.header('set-cookie', mount.cookie.set(cookie, authenticated.extendedTo));
  }
}

async function answer(mount: Mount, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const { route, actor, draft } = request.state;
  if (!route) throw new Error('a request without a route came to be answered');
  const { definition } = route;
  const scope = actor && (await authorise(mount, { route: definition, actor, raw: request }, draft));
  const output = {
    ...outputOf(reply, systemTimer),
    followTopic: (topic: TopicRequest) => answerTopic(mount, request, topic),
  };
  const context = contextOf(mount, { request, scope, output });
  const handler = (mount.handlers as Partial<Record<RouteName, unknown>>)[route.name] as (
    context: HandlerContext<RouteName>,
  ) => Promise<unknown>;
  // Before its first byte: what cannot be recorded is not shown.
  if (definition.output === 'stream') await auditSuccess(mount, request);
  const answered = definition.output === 'stream' ? await follow(handler, context, reply) : await handler(context);
  if (reply.sent) return reply;
  if (definition.output === 'socket') return openSocket(mount, { request, reply, answered: answered as SocketAnswer });
  await auditSuccess(mount, request);
  reply.code(definition.status ?? 200);
  if (definition.output === undefined) return reply.send();
  if (mount.checkOutput && definition.output !== 'stream') checkOutput(definition.output, answered, route.name);
  const bytes = readyBytes(answered);
  if (bytes) return reply.type('application/json; charset=utf-8').send(bytes);
  return reply.send(answered);
}

/** Once a stream is open nothing can be told by a status any more: what breaks then cuts the connection, and the client comes back. */
async function follow(
  handler: (context: HandlerContext<RouteName>) => Promise<unknown>,
  context: HandlerContext<RouteName>,
  reply: FastifyReply,
): Promise<void> {
  try {
    await handler(context);
    if (reply.sent) reply.raw.end();
  } catch (error) {
    if (!reply.sent) throw error;
    // A client that goes away is what breaks most of them, and no mistake of ours.
    if (!context.request.signal.aborted) context.request.log.error({ err: error }, 'a stream broke');
    reply.raw.destroy();
  }
}

/** What is wrong is an ordinary answer until here. From here on it is for the handler to say, by a close code. */
async function openSocket(
  mount: Mount,
  { request, reply, answered }: { request: FastifyRequest; reply: FastifyReply; answered: SocketAnswer },
): Promise<FastifyReply> {
  const { state } = request;
  const userId = state.actor?.userId ?? '';
  const open = mount.sockets.admit(request, reply, { userId, protocol: answered.protocol });
  await auditSuccess(mount, request);
  reply.hijack();
  const socket = await open();
  answered.serve(socket).catch((err: unknown) => {
    state.log.error({ err }, 'a socket broke');
    socket.close(1011, 'Something broke on our side, and it has been logged.');
  });
  return reply;
}

function checkOutput(schema: z.ZodType, output: unknown, name: RouteName): void {
  const result = schema.safeParse(JSON.parse(readyBytes(output)?.toString() ?? JSON.stringify(output)));
  if (result.success) return;
  throw new Error(`the answer of ${name} is not what its route says: ${result.error.message}`);
}
