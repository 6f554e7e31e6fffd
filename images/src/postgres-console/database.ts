import pg from 'pg';
import { log, messageOf } from '../runtime/log.ts';
import { AnsweredError } from '../runtime/web-app.ts';

export interface DatabaseSettings {
  host: string;
  port: number;
  database: string;
  user: string;
  password: string;
}

export interface Overview {
  version: string;
  startedAt: string;
  connections: number;
  maxConnections: number;
  databases: { name: string; bytes: number }[];
}

export interface QueryResult {
  /** `SELECT`, `INSERT` and so on, as PostgreSQL calls what it did. */
  command: string;
  columns: string[];
  rows: (string | null)[][];
  rowCount: number;
  /** More rows came than are kept. */
  truncated: boolean;
  milliseconds: number;
}

export interface ConsoleDatabase {
  overview(): Promise<Overview>;
  /** Throws an AnsweredError with PostgreSQL's own words when the statement is refused. */
  query(sql: string, database?: string): Promise<QueryResult>;
  isReachable(): Promise<boolean>;
  close(): Promise<void>;
}

const CONNECT_TIMEOUT_MILLISECONDS = 3000;
const STATEMENT_TIMEOUT_MILLISECONDS = 30_000;

const OVERVIEW = `SELECT current_setting('server_version') AS version, pg_postmaster_start_time() AS started_at,
  (SELECT count(*)::int FROM pg_stat_activity WHERE backend_type = 'client backend') AS connections,
  current_setting('max_connections')::int AS max_connections`;
const DATABASES = `SELECT datname AS name, pg_database_size(oid)::float8 AS bytes
  FROM pg_database WHERE NOT datistemplate ORDER BY datname`;

export function openDatabase(settings: DatabaseSettings, limits: { rows: number }): ConsoleDatabase {
  const pool = new pg.Pool({ ...settings, max: 3, connectionTimeoutMillis: CONNECT_TIMEOUT_MILLISECONDS });
  // An idle connection that breaks is the pool's to replace; unheard, the event would end the process.
  pool.on('error', (error) => log.warn(`the database connection broke: ${error.message}`));

  return {
    async overview() {
      const [facts, databases] = await Promise.all([pool.query(OVERVIEW), pool.query(DATABASES)]).catch(unavailable);
      const { version, started_at, connections, max_connections } = facts.rows[0];
      const startedAt = (started_at as Date).toISOString();
      return { version, startedAt, connections, maxConnections: max_connections, databases: databases.rows };
    },
    async query(sql, database = settings.database) {
      // A connection of its own: what a statement sets or leaves open goes with it.
      const client = new pg.Client({
        ...settings,
        database,
        connectionTimeoutMillis: CONNECT_TIMEOUT_MILLISECONDS,
        statement_timeout: STATEMENT_TIMEOUT_MILLISECONDS,
        application_name: 'console',
      });
      client.on('error', (error) => log.warn(`the connection of a query broke: ${error.message}`));
      try {
        await client.connect().catch(unavailable);
        return await runStatement(client, sql, limits.rows);
      } finally {
        await client.end().catch((error: unknown) => log.warn(`a connection did not close: ${messageOf(error)}`));
      }
    },
    isReachable: () =>
      pool.query('SELECT 1').then(
        () => true,
        () => false,
      ),
    close: () => pool.end(),
  };
}

/** Rows over the limit are read and let go, so that a large table cannot fill the memory. Of several statements, the last. */
function runStatement(client: pg.Client, sql: string, limit: number): Promise<QueryResult> {
  const since = performance.now();
  return new Promise((resolve, reject) => {
    let rows: (string | null)[][] = [];
    let current: unknown;
    const query = client.query(new pg.Query({ text: sql, rowMode: 'array', types: AS_TEXT } as pg.QueryConfig));
    query.on('row', (row: unknown, result: unknown) => {
      if (result !== current) rows = [];
      current = result;
      if (rows.length < limit) rows.push(row as (string | null)[]);
    });
    query.on('error', (error) => reject(new AnsweredError(422, sentenceOf(error), { cause: error })));
    query.on('end', (all: unknown) => {
      const last = (Array.isArray(all) ? all.at(-1) : all) as pg.QueryArrayResult;
      const columns = last.fields.map((field) => field.name);
      const rowCount = last.rowCount ?? 0;
      if (columns.length === 0) rows = [];
      resolve({
        command: last.command ?? '',
        columns,
        rows,
        rowCount,
        truncated: columns.length > 0 && rowCount > rows.length,
        milliseconds: Math.round(performance.now() - since),
      });
    });
  });
}

/** Every value as PostgreSQL writes it: nothing is lost to a number or a date of ours. */
const AS_TEXT = { getTypeParser: () => (value: string) => value };

function sentenceOf(error: Error & { detail?: string; hint?: string; position?: string }): string {
  const where = error.position ? ` (at character ${error.position})` : '';
  return [`${error.message}${where}`, error.detail, error.hint].filter(Boolean).join('. ');
}

function unavailable(error: unknown): never {
  const code = (error as { code?: string }).code ?? '';
  if (/^(3D000|42501)$/.test(code)) throw new AnsweredError(404, messageOf(error));
  throw new AnsweredError(503, 'The database does not answer just now. Try again in a moment.', { cause: error });
}
