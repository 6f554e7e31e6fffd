import pg from 'pg';
import { log } from '../runtime/log.ts';
import { type Environment, parsePort } from '../runtime/settings.ts';
import { AnsweredError } from '../runtime/web-app.ts';

export function openPool(environment: Environment): pg.Pool {
  const pool = new pg.Pool({
    host: environment.DATABASE_HOST || 'database',
    port: parsePort('DATABASE_PORT', environment.DATABASE_PORT, 5432),
    database: environment.DATABASE_NAME || 'shop',
    user: environment.DATABASE_USER || 'shop',
    password: environment.DATABASE_PASSWORD ?? '',
    max: 8,
    connectionTimeoutMillis: 3000,
    query_timeout: 10_000,
  });
  // An idle connection that breaks is the pool's to replace; unheard, the event would end the process.
  pool.on('error', (error) => log.warn(`the database connection broke: ${error.message}`));
  return pool;
}

/** All of it or nothing. Anything that is no answer of a working database becomes "try again". */
export async function transaction<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect().catch(unavailable);
  try {
    await client.query('BEGIN');
    const result = await work(client);
    await client.query('COMMIT');
    client.release();
    return result;
  } catch (error) {
    // A broken connection rolls back by itself and must not be used again.
    await client.query('ROLLBACK').then(
      () => client.release(),
      (broken: Error) => client.release(broken),
    );
    if (error instanceof AnsweredError) throw error;
    return unavailable(error);
  }
}

function unavailable(error: unknown): never {
  throw new AnsweredError(503, 'The shop cannot reach its database just now. Nothing was changed; try again.', {
    cause: error,
  });
}
