import { systemClock } from '@berth/kube/client/clock';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Database } from '../db/database.ts';
import { dueMigrations, migrate, migrationsDirectory } from '../db/migrate.ts';
import { openDatabase } from '../db/pool.ts';
import { createLogger } from '../logger.ts';
import { createStartup, type Startup } from '../processes/startup.ts';
import { createTestDatabase, type TestDatabase } from '../testing/postgres.ts';
import { type DatabasePreparation, prepareDatabase } from './prepare-database.ts';

const lines: string[] = [];
const log = createLogger({ name: 'test', level: 'warn', destination: { write: (line) => void lines.push(line) } });

describe('a server and its database', () => {
  let database: TestDatabase;
  let startup: Startup;
  let stopping: AbortController;
  let prepared: number;

  beforeEach(async () => {
    database = await createTestDatabase({ migrated: false });
    startup = createStartup();
    stopping = new AbortController();
    prepared = 0;
  });
  afterEach(() => database.close());

  const prepare = (options: Partial<DatabasePreparation> = {}) =>
    prepareDatabase({
      database,
      url: database.url,
      migrationsDirectory: migrationsDirectory(),
      migrate: true,
      afterwards: async () => void prepared++,
      startup,
      log,
      timer: systemClock,
      stopping: stopping.signal,
      ...options,
    });

  it('are brought together at once where the server may do it', async () => {
    await Promise.all([prepare(), prepare()]);
    expect(await dueMigrations(database)).toEqual([]);
    expect(prepared).toBe(2);
  });

  it('wait where somebody else brings it up to date', async () => {
    const waiting = prepare({ migrate: false });
    await until(() => startup.problem()?.includes('the database waits for 0001-first.sql') ?? false);
    expect(prepared).toBe(0);
    await migrate(database);
    await waiting;
    expect(prepared).toBe(1);
  });

  it('wait for one that is not there yet, and stop when they are told to', async () => {
    const url = 'postgres://berth:s3cret@127.0.0.1:1/berth';
    const nowhere: Database = openDatabase({ url, applicationName: 'test' });
    onTestFinished(() => nowhere.close());
    const waiting = prepare({ database: nowhere, url });
    const ended = expect(waiting).rejects.toThrow('enough');
    // Whoever asks is told that it waits, and only the log for what.
    await until(() => startup.problem() === 'its database cannot be used yet; the log says why');
    expect(lines.join('')).toContain('the database at 127.0.0.1:1 does not answer');
    expect(lines.join('')).not.toContain('s3cret');
    stopping.abort(new Error('enough'));
    await ended;
  });

  it('do not wait for what waiting does not mend', async () => {
    const afterwards = () => Promise.reject(new Error('no templates'));
    await expect(prepare({ afterwards })).rejects.toThrow('no templates');
  });
});

async function until(condition: () => boolean): Promise<void> {
  const deadline = Date.now() + 5_000;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error('it did not come to that');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
