import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Database, Queryable, Transaction } from './database.ts';

/**
 * Migrations are the plain SQL files of one directory, run in the order of their names, each once. All that are due run in
 * one transaction under one lock: two processes that start together do the work once, and a failed file leaves nothing.
 * An applied file that has changed since is refused: its new text would never run.
 *
 * A migration leaves the release before it working: servers of both run side by side during an upgrade, and after a rollback the older
 * one goes on. So files that this program does not know are no reason to refuse, save one that says so in its name.
 */
const MIGRATION_FILE = /^\d{4}-[a-z0-9-]+\.sql$/;
/** `0042-breaking-WHAT.sql`: whoever does not have this file cannot work with the database any more. */
const BREAKING_FILE = /^\d{4}-breaking-/;
/** Any number, as long as nobody else takes it. */
const LOCK_KEY = 7_236_001;

interface Migration {
  name: string;
  sql: string;
  checksum: string;
}

/** Brings the schema up to date. Returns the names of what it ran. */
export async function migrate(database: Database, directory: string = migrationsDirectory()): Promise<string[]> {
  const migrations = await readMigrations(directory);
  return database.transaction(async (transaction) => {
    // Waiting for another process that migrates may take longer than any statement of ours.
    await transaction.execute('set local lock_timeout = 0');
    await transaction.execute('set local statement_timeout = 0');
    await transaction.execute('select pg_advisory_xact_lock($1)', [LOCK_KEY]);
    await transaction.execute(
      'create table if not exists schema_migrations (name text primary key, checksum text not null, applied_at timestamptz not null)',
    );
    const due = unapplied(migrations, await appliedMigrations(transaction));
    for (const migration of due) await apply(transaction, migration);
    return due.map(({ name }) => name);
  });
}

/** Whether every migration of this program has run: the server is not ready before. */
export async function schemaIsCurrent(
  database: Queryable,
  directory: string = migrationsDirectory(),
): Promise<boolean> {
  return (await dueMigrations(database, directory)).length === 0;
}

/** What `migrate` would run, without running it. */
export async function dueMigrations(database: Queryable, directory: string = migrationsDirectory()): Promise<string[]> {
  const migrations = await readMigrations(directory);
  const [table] = await database.query<{ exists: boolean }>(
    "select to_regclass('schema_migrations') is not null as exists",
  );
  const due = table?.exists ? unapplied(migrations, await appliedMigrations(database)) : migrations;
  return due.map(({ name }) => name);
}

/** Beside this file; a bundle copies them beside itself. */
export function migrationsDirectory(): string {
  return fileURLToPath(new URL('./migrations', import.meta.url));
}

async function readMigrations(directory: string): Promise<Migration[]> {
  const names = (await readdir(directory)).filter((name) => MIGRATION_FILE.test(name)).sort();
  if (names.length === 0) throw new Error(`there are no migrations in ${directory}`);
  return Promise.all(
    names.map(async (name) => {
      const sql = await readFile(join(directory, name), 'utf8');
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
    }),
  );
}

async function appliedMigrations(database: Queryable): Promise<Map<string, string>> {
  const rows = await database.query<{ name: string; checksum: string }>('select name, checksum from schema_migrations');
  return new Map(rows.map(({ name, checksum }) => [name, checksum]));
}

function unapplied(migrations: readonly Migration[], applied: ReadonlyMap<string, string>): Migration[] {
  for (const name of applied.keys()) {
    if (BREAKING_FILE.test(name) && !migrations.some((each) => each.name === name)) {
      throw new Error(
        `the database is newer than this program can work with: it has "${name}"; start the newer version`,
      );
    }
  }
  for (const { name, checksum } of migrations) {
    if (applied.has(name) && applied.get(name) !== checksum) {
      throw new Error(`migration "${name}" was changed after it ran here; put it back and write a new file instead`);
    }
  }
  return migrations.filter(({ name }) => !applied.has(name));
}

async function apply(transaction: Transaction, { name, sql, checksum }: Migration): Promise<void> {
  try {
    await transaction.execute(sql);
  } catch (error) {
    throw new Error(`migration "${name}" failed: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
  await transaction.execute('insert into schema_migrations (name, checksum, applied_at) values ($1, $2, now())', [
    name,
    checksum,
  ]);
}
