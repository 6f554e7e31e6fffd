import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../testing/postgres.ts';
import { dueMigrations, migrate, schemaIsCurrent } from './migrate.ts';

describe('migrations', () => {
  let database: TestDatabase;
  let directory: string;

  beforeAll(async () => {
    database = await createTestDatabase({ migrated: false });
    directory = await mkdtemp(join(tmpdir(), 'berth-migrations-'));
    await writeFile(join(directory, '0001-first.sql'), 'create table things (id int); insert into things values (1);');
  });
  afterAll(async () => {
    await database.close();
    await rm(directory, { recursive: true });
  });

  it('run once, also when two processes start together', async () => {
    expect(await schemaIsCurrent(database, directory)).toBe(false);
    const ran = await Promise.all([migrate(database, directory), migrate(database, directory)]);
    expect(ran.flat()).toEqual(['0001-first.sql']);
    expect(await migrate(database, directory)).toEqual([]);
    expect(await schemaIsCurrent(database, directory)).toBe(true);
    expect(await database.query('select id from things')).toEqual([{ id: 1 }]);
  });

  it('leave nothing of a batch in which one fails, and say which', async () => {
    await writeFile(join(directory, '0002-more.sql'), 'create table more (id int);');
    await writeFile(join(directory, '0003-bad.sql'), 'create table bad (id nonsense);');
    await expect(migrate(database, directory)).rejects.toThrow(/migration "0003-bad.sql" failed: .*nonsense/);
    expect(await schemaIsCurrent(database, directory)).toBe(false);
    expect(await database.query("select to_regclass('more')::text as more")).toEqual([{ more: undefined }]);
    await rm(join(directory, '0003-bad.sql'));
    expect(await migrate(database, directory)).toEqual(['0002-more.sql']);
  });

  it('refuse a file that was changed after it ran', async () => {
    await writeFile(join(directory, '0002-more.sql'), 'create table other (id int);');
    await expect(migrate(database, directory)).rejects.toThrow(/"0002-more.sql" was changed after it ran/);
    await rm(join(directory, '0002-more.sql'));
  });

  it('leave an older program working, but for one that says that it cannot', async () => {
    expect(await migrate(database, directory)).toEqual([]);
    expect(await schemaIsCurrent(database, directory)).toBe(true);
    const breaking = join(directory, '0004-breaking-things.sql');
    await writeFile(breaking, 'drop table things;');
    expect(await dueMigrations(database, directory)).toEqual(['0004-breaking-things.sql']);
    expect(await migrate(database, directory)).toEqual(['0004-breaking-things.sql']);
    await rm(breaking);
    const newer = /newer than this program can work with: it has "0004-breaking-things.sql"/;
    await expect(migrate(database, directory)).rejects.toThrow(newer);
    await expect(schemaIsCurrent(database, directory)).rejects.toThrow(newer);
  });
});
