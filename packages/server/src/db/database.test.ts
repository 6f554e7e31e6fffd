import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../testing/postgres.ts';
import { isDatabaseUnavailable, isUniqueViolation } from './errors.ts';
import { openDatabase } from './pool.ts';

describe('the database', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createTestDatabase();
    await database.execute('create table counters (name text primary key, count_so_far bigint, at timestamptz)');
    await database.execute("insert into counters values ('a', 0), ('b', 0)");
  });
  afterAll(() => database.close());

  const count = async (name: string) =>
    (await database.query<{ countSoFar: number }>('select count_so_far from counters where name = $1', [name]))[0]
      ?.countSoFar;

  it('gives rows camelCase names, numbers for int8, dates for timestamptz and undefined for NULL', async () => {
    const [row] = await database.query(
      "select 9007199254740991::int8 as the_big, null as no_thing, '2026-01-02Z'::timestamptz as at",
    );
    expect(row).toEqual({ theBig: Number.MAX_SAFE_INTEGER, noThing: undefined, at: new Date('2026-01-02Z') });
  });

  it('refuses an int8 that no number can hold instead of rounding it', async () => {
    await expect(database.query('select 9007199254740993::int8')).rejects.toThrow(/9007199254740993/);
  });

  it('rolls back when the work throws, and calls back after a commit only', async () => {
    const called: string[] = [];
    const failing = database.transaction(async (transaction) => {
      transaction.afterCommit(() => called.push('never'));
      await transaction.execute("update counters set count_so_far = 9 where name = 'a'");
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await count('a')).toBe(0);
    await database.transaction(async (transaction) => transaction.afterCommit(() => called.push('committed')));
    expect(called).toEqual(['committed']);
  });

  it('does not report success for a transaction in which a failed statement was swallowed', async () => {
    const work = database.transaction(async (transaction) => {
      await transaction.execute("insert into counters values ('a', 1)").catch((error) => {
        expect(isUniqueViolation(error, 'counters_pkey')).toBe(true);
      });
    });
    await expect(work).rejects.toThrow(/rolled back/);
  });

  it('starts serializable transactions over until their sum is right', async () => {
    const increment = () =>
      database.transaction(
        async (transaction) => {
          const [row] = await transaction.query<{ countSoFar: number }>(
            "select count_so_far from counters where name = 'b'",
          );
          await transaction.execute("update counters set count_so_far = $1 where name = 'b'", [
            (row?.countSoFar ?? 0) + 1,
          ]);
        },
        { isolation: 'serializable' },
      );
    await Promise.all([increment(), increment(), increment()]);
    expect(await count('b')).toBe(3);
  });

  it('starts over after a deadlock', async () => {
    const lockBoth = (first: string, second: string) =>
      database.transaction(async (transaction) => {
        await transaction.execute('update counters set at = now() where name = $1', [first]);
        await transaction.query('select pg_sleep(0.05)');
        await transaction.execute('update counters set at = now() where name = $1', [second]);
        return first;
      });
    expect(await Promise.all([lockBoth('a', 'b'), lockBoth('b', 'a')])).toEqual(['a', 'b']);
  });

  it('refuses a transaction that was kept beyond its end', async () => {
    const kept = await database.transaction(async (transaction) => transaction);
    await expect(kept.query('select 1')).rejects.toThrow(/has ended/);
  });

  it('hears notifications, and of the gap when its connection was lost', async () => {
    const heard: string[] = [];
    const next = () =>
      new Promise<void>((resolve) => {
        wake = resolve;
      });
    let wake: () => void = () => undefined;
    const note = (text: string) => {
      heard.push(text);
      wake();
    };
    const subscription = await database.listen('things', { onNotification: note, onGap: () => note('gap') });
    expect(heard).toEqual(['gap']);
    let waiting = next();
    await database.execute("select pg_notify('things', 'one')");
    await waiting;
    waiting = next();
    await database.execute("select pg_terminate_backend(pid) from pg_stat_activity where query ilike 'listen%'");
    await waiting;
    expect(heard).toEqual(['gap', 'one', 'gap']);
    await subscription.stop();
  });

  it('survives the loss of every connection', async () => {
    await database.execute(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    );
    const outcomes = await Promise.allSettled([1, 2, 3].map(() => database.query('select 1 as one')));
    expect(outcomes.every((each) => each.status === 'fulfilled' || isDatabaseUnavailable(each.reason))).toBe(true);
    expect(await database.query('select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('says that it is unavailable when nobody answers', async () => {
    const nowhere = openDatabase({ url: 'postgres://x@/x?host=/nonexistent', applicationName: 'test' });
    const error = await nowhere.query('select 1').catch((reason: unknown) => reason);
    expect(isDatabaseUnavailable(error)).toBe(true);
    await nowhere.close();
  });
});
