import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isHealthPath } from './health.ts';

/** Which answered requests are told at level info. At level debug all are. */
export type LoggedRequests = 'notable' | 'all' | 'none';

/** Of a request that nobody waits for on purpose. */
const SLOW_MS = 1_000;

/** One line a request, with what it takes to find and to judge it, and without its query, body or headers. */
export function logRequests(app: FastifyInstance, which: LoggedRequests): void {
  app.addHook('onResponse', async (request, reply) => {
    const level = isTold(which, request, reply) ? 'info' : 'debug';
    request.state.log[level](
      {
        method: request.method,
        path: request.url.split('?')[0],
        status: reply.statusCode,
        milliseconds: Math.round(reply.elapsedTime),
        address: request.ip,
      },
      'request answered',
    );
  });
}

function isTold(which: LoggedRequests, request: FastifyRequest, reply: FastifyReply): boolean {
  if (which !== 'notable') return which === 'all';
  // Whoever probes asks every few seconds, and what it learns is logged where it arises.
  if (isHealthPath(request.url)) return false;
  if (reply.statusCode >= 500) return true;
  // A stream or a socket is open for as long as somebody looks.
  const lasts = ['stream', 'socket'].includes(String(request.state.route?.definition.output));
  return !lasts && reply.elapsedTime > SLOW_MS;
}
