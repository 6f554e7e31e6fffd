import type { Queryable } from '../db/database.ts';
import { isDatabaseUnavailable } from '../db/errors.ts';
import { HopelessError } from '../processes/service.ts';
import type { SecretStore } from '../secret/secret-store.ts';

/**
 * The newest secret opens with our key, or nothing is done: a key that was lost and made anew would store new values beside old ones that
 * nobody can read, and hand out neither.
 */
export async function requireRightKey(database: Queryable, secrets: SecretStore): Promise<void> {
  const [newest] = await database.query<{ teamId: string; path: string; key: string }>(
    'select team_id, path, key from secrets order by updated_at desc limit 1',
  );
  if (!newest) return;
  try {
    await secrets.get(database, newest);
  } catch (error) {
    if (isDatabaseUnavailable(error)) throw error;
    throw new HopelessError(
      'the secrets in the database do not open with BERTH_MASTER_KEY: start the server with the key that they were stored with, from a backup',
      { cause: error },
    );
  }
}
