import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../clock.ts';
import { createTestDatabase, type TestDatabase } from '../testing/postgres.ts';
import { createTenant } from '../testing/tenants.ts';
import { ACTIVITY_KEPT, listActivity, pruneActivity, recordActivity } from './activity.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

describe('activity', () => {
  it('tells one occurrence once, however often it is seen', async () => {
    const { teamId } = await createTenant(database);
    const seen = { teamId, kind: 'event', level: 'info', message: 'x', sourceKey: 'event/1' } as const;
    const record = () => database.transaction((transaction) => recordActivity(transaction, seen, systemClock));
    await Promise.all([record(), record(), record()]);
    expect(await listActivity(database, { of: { teamId }, limit: 10 })).toHaveLength(1);
    const changes = await database.query('select 1 from live_changes where team_id = $1', [teamId]);
    expect(changes).toHaveLength(1);
  });

  it('keeps the newest of each team', async () => {
    const [full, small] = [await createTenant(database), await createTenant(database)];
    const fill = (teamId: string, count: number) =>
      database.execute(
        `insert into activity (team_id, kind, level, message, at)
         select $1, 'event', 'info', 'n' || n, now() from generate_series(1, $2::int) n`,
        [teamId, count],
      );
    await fill(full.teamId, ACTIVITY_KEPT + 50);
    await fill(small.teamId, 5);
    expect(await pruneActivity(database)).toBe(50);
    const [newest] = await listActivity(database, { of: { teamId: full.teamId }, limit: 1 });
    expect(newest?.message).toBe(`n${ACTIVITY_KEPT + 50}`);
    expect(await listActivity(database, { of: { teamId: small.teamId }, limit: 10 })).toHaveLength(5);
    expect(await pruneActivity(database)).toBe(0);
  });
});
