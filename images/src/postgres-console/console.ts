import type { Server } from 'node:http';
import { type Answer, html, json, text } from '../runtime/answer.ts';
import type { PasswordGate } from '../runtime/password-gate.ts';
import { readFields } from '../runtime/read-body.ts';
import { AnsweredError, type AppRequest, createWebApp } from '../runtime/web-app.ts';
import type { ConsoleDatabase } from './database.ts';
import { type Asked, type Connection, consolePage } from './page.ts';

export interface ConsoleOptions {
  database: ConsoleDatabase;
  gate: PasswordGate;
  /** How others reach the database; without the password. */
  connection: Connection;
}

const MAX_SQL_BYTES = 256 * 1024;

/**
 * `/` page with overview and a query, `POST /` the same with a result, `POST /query {sql, database?}` and `GET /overview` JSON.
 * All but `/healthz` and `/readyz` ask for the password.
 */
export function createConsole(options: ConsoleOptions): Server {
  const { database, gate } = options;
  return createWebApp(async (request) => {
    if (request.path === '/healthz') return text(200, 'ok');
    if (request.path === '/readyz')
      return (await database.isReachable()) ? text(200, 'ok') : text(503, 'the database does not answer');
    return (await gate.guard(request)) ?? route(options, request);
  });
}

async function route(options: ConsoleOptions, { method, path, raw }: AppRequest): Promise<Answer> {
  const { database } = options;
  switch (`${method} ${path}`) {
    case 'GET /':
      return page(options, 200);
    case 'POST /': {
      const { sql, name } = statementOf(await readFields(raw, MAX_SQL_BYTES));
      try {
        return await page(options, 200, { sql, database: name, result: await database.query(sql, name) });
      } catch (error) {
        if (!(error instanceof AnsweredError)) throw error;
        return page(options, error.status, { sql, database: name, problem: error.message });
      }
    }
    case 'GET /overview':
      return json(200, { ...(await database.overview()), connection: options.connection });
    case 'POST /query': {
      const { sql, name } = statementOf(await readFields(raw, MAX_SQL_BYTES));
      return json(200, await database.query(sql, name));
    }
    default:
      return text(404, 'the console has /, /overview and /query');
  }
}

async function page(options: ConsoleOptions, status: number, asked?: Asked): Promise<Answer> {
  const { connection } = options;
  const overview = await options.database.overview();
  return html(status, consolePage({ overview, connection, ...(asked ? { asked } : {}) }));
}

function statementOf(fields: Record<string, unknown>): { sql: string; name: string | undefined } {
  const { sql, database } = fields;
  if (typeof sql !== 'string' || sql.trim() === '') throw new AnsweredError(422, 'Write a statement as "sql".');
  return { sql, name: typeof database === 'string' && database !== '' ? database : undefined };
}
