import { randomBytes } from 'node:crypto';
import { idsFrom } from '@berth/core/ids';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../clock.ts';
import { createLogger } from '../logger.ts';
import { createTestDatabase, type TestDatabase } from '../testing/postgres.ts';
import { requireAdministrator } from './first-administrator.ts';

describe('the first administrator', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await createTestDatabase();
  });
  afterEach(() => database.close());

  const wanted = (email?: string, password?: string) => ({
    ...{ database, email, password },
    maker: { clock: systemClock, newId: idsFrom(randomBytes) },
    log: createLogger({ name: 'test', level: 'silent' }),
  });
  const administrators = () =>
    database.query<{ email: string }>('select email from users where platform_admin order by email');

  it('is made once, also by two servers that start at once', async () => {
    const one = () => requireAdministrator(wanted('you@example.com', 'correct horse battery'));
    await Promise.all([one(), one()]);
    await requireAdministrator(wanted('other@example.com', 'correct horse battery'));
    await requireAdministrator(wanted());
    expect(await administrators()).toEqual([{ email: 'you@example.com' }]);
  });

  it('is asked for where nobody is named', async () => {
    await expect(requireAdministrator(wanted())).rejects.toThrow('set BERTH_ADMIN_EMAIL and BERTH_ADMIN_PASSWORD');
  });

  it('is refused with a password that is none, by the names of the settings', async () => {
    await expect(requireAdministrator(wanted('you@example.com', 'short'))).rejects.toThrow(
      /^the administrator of BERTH_ADMIN_EMAIL and BERTH_ADMIN_PASSWORD cannot be made: /,
    );
    expect(await administrators()).toEqual([]);
  });
});
