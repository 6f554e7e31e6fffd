import pg from 'pg';
import type { PooledDatabase } from './database.ts';
import { listen } from './listen.ts';
import { readRow, typeParsers } from './rows.ts';
import { databaseAddress } from './tls.ts';
import { traceStatement } from './trace-statement.ts';
import { runTransaction } from './transaction.ts';

/** A statement that takes longer holds locks that others wait for. */
const STATEMENT_TIMEOUT_MS = 30_000;
const LOCK_TIMEOUT_MS = 10_000;
const CONNECT_TIMEOUT_MS = 10_000;
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 60_000;
const DEFAULT_CONNECTIONS = 10;

export interface DatabaseOptions {
  /** `postgres://...`, or with a socket: `postgres://user@/berth?host=/run/berth`. What it says of TLS: see `tls.ts`. */
  url: string;
  /** Who may vouch for the database's certificate, in PEM. */
  authority?: string | undefined;
  /** Shown in pg_stat_activity: which process this is. */
  applicationName: string;
  connections?: number;
  /** An idle connection was lost; the next query makes a new one. */
  onConnectionLost?: (error: Error) => void;
}

/** The only place where a pool is made. Connects when first used. */
export function openDatabase(options: DatabaseOptions): PooledDatabase {
  const { url, tls } = databaseAddress(options.url, options.authority);
  const most = options.connections ?? DEFAULT_CONNECTIONS;
  const connection = {
    connectionString: url,
    ssl: tls,
    application_name: options.applicationName,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    types: typeParsers,
    keepAlive: true,
  };
  const pool = new pg.Pool({
    ...connection,
    max: most,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    lock_timeout: LOCK_TIMEOUT_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
  });
  // Without a listener a server that restarts would end this process.
  pool.on('error', (error) => options.onConnectionLost?.(error));
  const run = (config: pg.QueryConfig) => traceStatement(config.text, () => pool.query(config));
  return {
    query: async (text, values = [], { prepared } = {}) =>
      (await run({ text, values: [...values], ...(prepared && { name: prepared }) })).rows.map((row) => readRow(row)),
    execute: async (text, values) => (await run({ text, values: [...(values ?? [])] })).rowCount ?? 0,
    transaction: (work, how) => runTransaction(() => pool.connect(), work, how),
    listen: (channel, listener) => listen(connection, channel, listener),
    pool: () => ({ open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount, most }),
    close: () => pool.end(),
  };
}
