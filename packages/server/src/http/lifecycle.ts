import { BerthError } from '@berth/core/errors';
import type { FastifyInstance } from 'fastify';
import type { Draining } from '../processes/draining.ts';
import type { Startup } from '../processes/startup.ts';
import { sendProblem } from './answer-errors.ts';

export interface Lifecycle {
  startup: Pick<Startup, 'problem'>;
  draining: Pick<Draining, 'active'>;
}

/** A server that is not ready to begin with answers so; one that is about to stop answers, and keeps no connection. */
export function followLifecycle(app: FastifyInstance, { startup, draining }: Lifecycle): void {
  app.addHook('onRequest', async (request, reply) => {
    // A handshake has a word of its own to say about its connection.
    if (draining.active() && request.headers.upgrade === undefined) reply.header('connection', 'close');
    const problem = startup.problem();
    if (problem === undefined || request.state.route === undefined) return undefined;
    return sendProblem(request, reply, new BerthError('unavailable', `Berth is not ready yet: ${problem}`));
  });
}
