import type { Pool, PoolClient } from 'pg';
import type { Journal, JournalChange, JournalContents } from './journal.ts';
import { JournaledStore, type StoreOptions } from './journaled-store.ts';
import type { Store } from './store.ts';

/**
 * Two tables and a row: `kube_objects` has every object as it is now, `kube_changes` the newest changes in order (so that
 * watches survive a restart), `kube_store` the version both stand at.
 *
 * One process owns them. Two guards: an advisory lock, held by a connection of its own for as long as the store is open, tells
 * a second process within seconds; and opening the store writes down a new owner, without whose name no append does anything, so that even a
 * process whose lock connection broke cannot write over another's work.
 */
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS kube_store (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    revision bigint NOT NULL,
    compacted bigint NOT NULL,
    owner uuid
  );
  CREATE TABLE IF NOT EXISTS kube_objects (
    resource text NOT NULL,
    namespace text NOT NULL,
    name text NOT NULL,
    revision bigint NOT NULL,
    value text NOT NULL,
    PRIMARY KEY (resource, namespace, name)
  );
  CREATE TABLE IF NOT EXISTS kube_changes (
    revision bigint PRIMARY KEY,
    resource text NOT NULL,
    namespace text NOT NULL,
    name text NOT NULL,
    type text NOT NULL,
    value text NOT NULL,
    previous_revision bigint,
    previous_value text
  );
  INSERT INTO kube_store (revision, compacted) VALUES (1, 1) ON CONFLICT DO NOTHING;
`;

/** One statement, so one round trip and one transaction. Nothing happens unless the version is the expected one. */
const APPEND = `
  WITH moved AS (
    UPDATE kube_store SET revision = $2 WHERE revision = $1 AND owner = $11 RETURNING revision
  ), changes AS (
    SELECT c.* FROM moved, unnest($3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::bigint[], $10::text[])
      AS c(revision, resource, namespace, name, type, value, previous_revision, previous_value)
  ), logged AS (
    INSERT INTO kube_changes SELECT * FROM changes
  ), newest AS (
    SELECT DISTINCT ON (resource, namespace, name) * FROM changes ORDER BY resource, namespace, name, revision DESC
  ), removed AS (
    DELETE FROM kube_objects o USING newest n
    WHERE n.type = 'DELETED' AND o.resource = n.resource AND o.namespace = n.namespace AND o.name = n.name
  ), written AS (
    INSERT INTO kube_objects (resource, namespace, name, revision, value)
    SELECT resource, namespace, name, revision, value FROM newest WHERE type <> 'DELETED'
    ON CONFLICT (resource, namespace, name) DO UPDATE SET revision = excluded.revision, value = excluded.value
  )
  SELECT revision FROM moved
`;

/** 'berthkub' as a number: any constant serves, as long as nothing else in the database takes it. */
const LOCK = '7090148138462737762';
const LOCK_PATIENCE = '3s';
const LOCK_NOT_AVAILABLE = '55P03';

/** The caller keeps the pool and ends it after the store is closed. */
export function postgresStore(pool: Pool, options: StoreOptions = {}): Store {
  return new JournaledStore(postgresJournal(pool), options);
}

export function postgresJournal(pool: Pool): Journal {
  let lock: PoolClient | undefined;
  let owner: string | undefined;

  return {
    async load() {
      lock = await takeLock(pool);
      await pool.query(SCHEMA);
      const { rows } = await pool.query<{ owner: string }>(
        'UPDATE kube_store SET owner = gen_random_uuid() RETURNING owner',
      );
      owner = rows[0]?.owner;
      return readContents(pool);
    },

    async append(changes, expected) {
      const last = changes.at(-1);
      if (!last) return;
      const values = [expected, last.revision, ...columns(changes), owner];
      // By name: each connection plans it once.
      const moved = await pool.query({ name: 'append', text: APPEND, values });
      if (moved.rowCount !== 1)
        throw new Error(`the store is not at version ${expected}, or belongs to another process`);
    },

    async revision() {
      const { rows } = await pool.query<{ revision: string; owner: string }>('SELECT revision, owner FROM kube_store');
      if (rows[0]?.owner !== owner)
        throw new Error('the store belongs to another process now: this one can write no more');
      return Number(rows[0]?.revision);
    },

    async compact(revision) {
      await pool.query('DELETE FROM kube_changes WHERE revision <= $1', [revision]);
      await pool.query('UPDATE kube_store SET compacted = GREATEST(compacted, $1)', [revision]);
    },

    async close() {
      // Destroyed rather than returned: the lock belongs to the session.
      lock?.release(true);
      lock = undefined;
    },
  };
}

/** Waits a little: the lock of an owner that was killed goes when PostgreSQL notices, moments later. */
async function takeLock(pool: Pool): Promise<PoolClient> {
  const client = await pool.connect();
  // A lost lock shows itself at the next append; unheard, the event would end the process.
  client.on('error', () => undefined);
  try {
    await client.query(`SET lock_timeout = '${LOCK_PATIENCE}'; SELECT pg_advisory_lock(${LOCK}); RESET lock_timeout`);
    return client;
  } catch (error) {
    client.release(true);
    if (!(error instanceof Error && 'code' in error && error.code === LOCK_NOT_AVAILABLE)) throw error;
    throw new Error('the store is in use by another process: only one may own it; stop the other one first');
  }
}

async function readContents(pool: Pool): Promise<JournalContents> {
  const store = await pool.query<{ revision: string; compacted: string }>('SELECT revision, compacted FROM kube_store');
  const objects = await pool.query<ObjectRow>('SELECT resource, namespace, name, revision, value FROM kube_objects');
  const changes = await pool.query<ChangeRow>('SELECT * FROM kube_changes ORDER BY revision');
  return {
    revision: Number(store.rows[0]?.revision),
    compacted: Number(store.rows[0]?.compacted),
    objects: objects.rows.map((row) => ({ address: addressOf(row), revision: Number(row.revision), value: row.value })),
    events: changes.rows.map((row) => ({
      address: addressOf(row),
      revision: Number(row.revision),
      type: row.type,
      value: row.value,
      previous:
        row.previous_value === null || row.previous_revision === null
          ? undefined
          : { revision: Number(row.previous_revision), value: row.previous_value },
    })),
  };
}

interface ObjectRow {
  resource: string;
  namespace: string;
  name: string;
  revision: string;
  value: string;
}

interface ChangeRow extends ObjectRow {
  type: JournalChange['type'];
  previous_revision: string | null;
  previous_value: string | null;
}

function addressOf({ resource, namespace, name }: ObjectRow): JournalChange['address'] {
  return { resource, namespace, name };
}

function columns(changes: JournalChange[]): unknown[][] {
  return [
    changes.map(({ revision }) => revision),
    changes.map(({ address }) => address.resource),
    changes.map(({ address }) => address.namespace),
    changes.map(({ address }) => address.name),
    changes.map(({ type }) => type),
    changes.map(({ value }) => value),
    changes.map(({ previous }) => previous?.revision ?? null),
    changes.map(({ previous }) => previous?.value ?? null),
  ];
}
