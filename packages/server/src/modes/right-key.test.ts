import { randomBytes } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../clock.ts';
import { createEmbeddedSecretStore } from '../secret/embedded-secret-store.ts';
import { masterKeys } from '../secret/master-keys.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { createTenant } from '../testing/tenants.ts';
import { requireRightKey } from './right-key.ts';

it('a server does not start with another key than that of its secrets', async () => {
  const database = await createTestDatabase();
  onTestFinished(() => database.close());
  const store = () =>
    createEmbeddedSecretStore({ keys: masterKeys({ id: 'master', key: randomBytes(32) }), clock: systemClock });
  const ours = store();
  await requireRightKey(database, store());
  const { teamId } = await createTenant(database, 'Person');
  await database.transaction((transaction) => ours.put(transaction, { teamId, path: 'shop', key: 'A' }, 'value'));
  await requireRightKey(database, ours);
  await expect(requireRightKey(database, store())).rejects.toThrow('do not open with BERTH_MASTER_KEY');
});
