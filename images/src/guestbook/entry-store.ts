import pg from 'pg';
import type { Entry, EntryInput } from './entry.ts';

/** The database cannot be reached now. What was asked has not happened and may be asked again. */
export class DatabaseUnavailable extends Error {}

export interface EntryStore {
  list(): Promise<Entry[]>;
  add(entry: EntryInput): Promise<Entry>;
  isReachable(): Promise<boolean>;
  close(): Promise<void>;
}

export interface DatabaseSettings {
  host: string;
  port: number;
  database: string;
  user: string;
  password: string;
}

const SCHEMA = `CREATE TABLE IF NOT EXISTS guestbook_entries (
  id uuid PRIMARY KEY,
  author text NOT NULL,
  message text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
)`;
const COLUMNS = 'id, author, message, created_at';

export interface StoreOptions {
  database: DatabaseSettings;
  newId: () => string;
  /** How long a call may wait for a database that is restarting. */
  patienceMilliseconds: number;
  retryMilliseconds: number;
  /** How many entries `list` gives, the latest first. */
  entriesShown: number;
}

/**
 * Entries in PostgreSQL. A call that loses its connection is repeated until the patience is over; adding is safe to
 * repeat since the entry's id is chosen once, before the first try.
 */
export function createEntryStore(options: StoreOptions): EntryStore {
  const pool = new pg.Pool({
    ...options.database,
    max: 8,
    connectionTimeoutMillis: 2000,
    query_timeout: 5000,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
  });
  // An idle connection that breaks is the pool's to replace; unheard, the event would end the process.
  pool.on('error', (error) => console.error(`the database connection broke: ${error.message}`));
  let tableReady = false;

  const query = async (sql: string, values: unknown[] = []): Promise<pg.QueryResult> => {
    if (!tableReady) {
      await pool.query(SCHEMA);
      tableReady = true;
    }
    return pool.query(sql, values);
  };

  const patiently = async (sql: string, values: unknown[] = []): Promise<pg.QueryResult> => {
    const deadline = performance.now() + options.patienceMilliseconds;
    for (;;) {
      try {
        return await query(sql, values);
      } catch (error) {
        if (isUndefinedTable(error)) tableReady = false;
        else if (!isTransient(error)) throw error;
        if (performance.now() >= deadline) {
          throw new DatabaseUnavailable('the database does not answer', { cause: error });
        }
        await new Promise((resolve) => setTimeout(resolve, options.retryMilliseconds));
      }
    }
  };

  return {
    async list() {
      const { rows } = await patiently(
        `SELECT ${COLUMNS} FROM guestbook_entries ORDER BY created_at DESC, id LIMIT $1`,
        [options.entriesShown],
      );
      return rows.map(toEntry);
    },
    async add(entry) {
      const id = options.newId();
      const values = [id, entry.author, entry.message];
      await patiently(
        'INSERT INTO guestbook_entries (id, author, message) VALUES ($1, $2, $3) ON CONFLICT (id) DO NOTHING',
        values,
      );
      const { rows } = await patiently(`SELECT ${COLUMNS} FROM guestbook_entries WHERE id = $1`, [id]);
      return toEntry(rows[0]);
    },
    async isReachable() {
      try {
        await query('SELECT 1');
        return true;
      } catch {
        return false;
      }
    },
    close: () => pool.end(),
  };
}

/**
 * Anything that is no answer from a working database: the network, a connection that timed out, a server that starts or
 * stops (class 57P and 08), and a refused password, because a rotated one reaches database and guestbook one after the other.
 */
function isTransient(error: unknown): boolean {
  const code = codeOf(error);
  if (code === undefined) return true;
  return !/^[0-9A-Z]{5}$/.test(code) || /^(08|53|57P|28P|28000|3D000|40)/.test(code);
}

function isUndefinedTable(error: unknown): boolean {
  return codeOf(error) === '42P01';
}

function codeOf(error: unknown): string | undefined {
  return (error as { code?: string }).code;
}

function toEntry(row: { id: string; author: string; message: string; created_at: Date }): Entry {
  return { id: row.id, author: row.author, message: row.message, createdAt: row.created_at.toISOString() };
}
