import { randomBytes } from 'node:crypto';
import { idsFrom } from '@berth/core/ids';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../clock.ts';
import { createTestDatabase, type TestDatabase } from '../testing/postgres.ts';
import { createAdministrator, developmentUser, hasAnyAdministrator } from './accounts.ts';

describe('an administrator', () => {
  let database: TestDatabase;
  const maker = { clock: systemClock, newId: idsFrom(randomBytes), defaultPlan: 'free' } as const;
  const create = (email: string, password = 'long enough for this') =>
    createAdministrator(database, maker, { email, name: 'Ada', password });

  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.close());

  it('is required before others can reach the server; dev@localhost, who has no password, is none', async () => {
    await database.transaction((transaction) => developmentUser(transaction, maker));
    expect(await hasAnyAdministrator(database)).toBe(false);
    await create('Ada@Example.com');
    expect(await hasAnyAdministrator(database)).toBe(true);
    const [row] = await database.query<{ passwordHash: string }>(
      "select password_hash from users where email = 'ada@example.com' and platform_admin",
    );
    expect(row?.passwordHash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  });

  it('is made once when two make it together', async () => {
    const outcomes = await Promise.allSettled([create('twin@example.com'), create('twin@example.com')]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(
      await database.query("select actor from audit_records where detail = 'administrator twin@example.com'"),
    ).toEqual([{ actor: 'system:administration' }]);
    const refused = outcomes.find((each) => each.status === 'rejected');
    expect(refused?.reason).toMatchObject({ code: 'name_taken', details: { fields: [{ path: 'email' }] } });
  });

  it('needs an e-mail and a password that is worth the name', async () => {
    await expect(create('nonsense')).rejects.toMatchObject({
      code: 'invalid_input',
      details: { fields: [{ path: 'email' }] },
    });
    await expect(create('eve@example.com', 'short')).rejects.toThrow(/password: needs at least 10 characters/);
  });
});
