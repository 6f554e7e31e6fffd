import { ROUTES } from '@berth/core/api';
import { BerthError, type Problem, toProblem } from '@berth/core/errors';
import type { Route } from '@berth/core/route';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { retryAfterSeconds } from '../auth/sign-in-limit.ts';
import { type Auditor, auditFailure } from './audit-request.ts';
import { toBerthError } from './errors.ts';

/** The one place where what was thrown becomes an answer: recorded, logged once, and told without what is inside. */
export function answerErrors(app: FastifyInstance, auditor: Auditor): void {
  app.setErrorHandler(async (thrown, request, reply) => {
    let error = toBerthError(thrown);
    try {
      await auditFailure(auditor, request, error.status);
    } catch (auditError) {
      // Nothing is told that is not recorded: a denial would be a way to look without leaving a trace.
      error = toBerthError(auditError);
      request.state.log.error({ err: auditError }, 'the audit record could not be written');
    }
    logOnce(request, error);
    if (error.code === 'payload_too_large') readOn(request, reply);
    return sendProblem(request, reply, error);
  });
}

/** To close with part of a body unread resets the connection, and whoever still sends never sees the answer. */
function readOn(request: FastifyRequest, reply: FastifyReply): void {
  reply.removeHeader('connection');
  request.raw.resume();
}

export function sendProblem(request: FastifyRequest, reply: FastifyReply, error: BerthError): FastifyReply {
  const retryAfter = retryAfterSeconds(error) ?? (error.status === 503 ? 5 : undefined);
  if (retryAfter !== undefined) reply.header('retry-after', String(retryAfter));
  if (error.status === 401) reply.header('www-authenticate', 'Bearer realm="berth"');
  return reply
    .code(error.status)
    .header('cache-control', 'no-store')
    .type('application/problem+json')
    .send(JSON.stringify(problemOf(request, error)));
}

/** The id is in a header of every answer; in the body where somebody will be asked to look it up, else equal answers would differ. */
function problemOf(request: FastifyRequest, error: BerthError): Problem {
  return toProblem(error, error.status >= 500 ? request.id : undefined);
}

function logOnce(request: FastifyRequest, error: BerthError): void {
  const { log } = request.state;
  if (error.code === 'internal') log.error({ err: error.details.cause ?? error }, 'request failed');
  else if (error.status >= 500) log.warn({ err: error.details.cause ?? error }, 'request failed');
  else log.debug({ code: error.code, why: error.details.internal ?? error.message }, 'request refused');
}

/** An address that is no URL, before anything else is known of the request. */
export function answerUnreadable(thrown: Error, request: FastifyRequest, reply: FastifyReply): void {
  const error = toBerthError(thrown);
  reply
    .code(error.status)
    .type('application/problem+json')
    .send(JSON.stringify(problemOf(request, error)));
}

/** Under `/api`: a known address with another method, or an unknown one. */
export function answerUnknown(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const [path = ''] = request.url.split('?');
  const methods = methodsOf(path);
  if (methods.length === 0) {
    const error = new BerthError('not_found', 'The API has no such address; see /api/docs for all there are');
    return sendProblem(request, reply, error);
  }
  reply.header('allow', methods.join(', '));
  const error = new BerthError('method_not_allowed', `This address takes ${methods.join(', ')}; see /api/docs`);
  return sendProblem(request, reply, error);
}

function methodsOf(path: string): string[] {
  const routes: Pick<Route, 'path' | 'method'>[] = [
    ...Object.values(ROUTES),
    { path: '/api/openapi.json', method: 'GET' },
    { path: '/api/docs', method: 'GET' },
  ];
  return [...new Set(routes.filter((route) => fits(route.path, path)).map(({ method }) => method))].sort();
}

function fits(pattern: string, path: string): boolean {
  const wanted = pattern.split('/');
  const given = path.split('/');
  return (
    wanted.length === given.length &&
    wanted.every((part, at) => (part.startsWith(':') ? given[at] !== '' : part === given[at]))
  );
}
