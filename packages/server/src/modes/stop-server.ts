import type { FastifyInstance } from 'fastify';
import type { Draining } from '../processes/draining.ts';

/**
 * How a server goes, so that nobody notices who has another one to go to:
 *
 *     not ready, serves as before       until the balancer has heard of it (BERTH_DRAIN_SECONDS)
 *     event streams end                 each client goes on at another server, from its last event
 *     background work ends              another server observes and applies
 *     shells and forwarded connections  cannot be moved: told how long they have, they stay until they end or the time is over
 *                                       (BERTH_SHELL_GRACE_SECONDS); one whose client breaks off is still reached through the others
 *     listeners close                   the public one, then the internal one, over which others reach shells here
 */
export interface StoppingServer {
  app: Pick<FastifyInstance, 'close' | 'endStreams'>;
  deployments: { drain(milliseconds: number): Promise<void>; stop(): Promise<void> };
  internal: Pick<FastifyInstance, 'close'>;
  work: { stop(): Promise<void> };
  draining?: Pick<Draining, 'begin'> | undefined;
  shellGraceSeconds: number;
  closeDatabase(): Promise<void>;
}

export async function stopServer(parts: StoppingServer): Promise<void> {
  await parts.draining?.begin();
  parts.app.endStreams();
  await Promise.all([parts.work.stop(), parts.deployments.drain(parts.shellGraceSeconds * 1000)]);
  await parts.app.close();
  await parts.deployments.stop();
  await parts.internal.close();
  await parts.closeDatabase();
}
