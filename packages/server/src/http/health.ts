import type { FastifyInstance } from 'fastify';
import type { Database } from '../db/database.ts';
import { schemaIsCurrent } from '../db/migrate.ts';

export interface HealthSources {
  database: Database;
  migrationsDirectory?: string;
}

export const HEALTH_PATHS: ReadonlySet<string> = new Set(['/healthz', '/readyz']);

/** `/healthz`: the process answers. `/readyz`: it can serve, so the database answers and has this version's schema. */
export function mountHealth(app: FastifyInstance, sources: HealthSources): void {
  app.get('/healthz', async (_request, reply) => reply.type('text/plain').send('ok\n'));
  app.get('/readyz', async (request, reply) => {
    const problem = await whyNotReady(sources).catch((error: unknown) => {
      request.state.log.warn({ err: error }, 'not ready');
      return 'the database does not answer';
    });
    return reply
      .code(problem ? 503 : 200)
      .type('text/plain')
      .send(`${problem ?? 'ok'}\n`);
  });
}

async function whyNotReady({ database, migrationsDirectory }: HealthSources): Promise<string | undefined> {
  return (await schemaIsCurrent(database, migrationsDirectory))
    ? undefined
    : 'the database is being brought up to date';
}
