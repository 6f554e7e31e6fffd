import { parseInput } from '@berth/core/parse';
import { secretKeySchema } from '@berth/core/service';
import type { Clock } from '../clock.ts';
import type { Queryable } from '../db/database.ts';
import { open, seal } from './envelope.ts';
import type { MasterKeys } from './master-keys.ts';
import type { SecretLocation, SecretOwner, SecretStore } from './secret-store.ts';

interface SecretRow {
  version: number;
  ciphertext: Buffer;
  wrappedKey: Buffer;
  keyId: string;
}

/** The encrypted table. Values land in the caller's transaction: a create that fails leaves none behind. */
export function createEmbeddedSecretStore({ keys, clock }: { keys: MasterKeys; clock: Clock }): SecretStore {
  return {
    async put(queryable, at, value) {
      parseInput(secretKeySchema, at.key, `The secret's key "${at.key}"`);
      // A lone surrogate has no bytes in UTF-8; it would come back as another character.
      if (!value.isWellFormed()) throw new Error(`the value of "${at.key}" is not valid Unicode text`);
      const version = ((await find(queryable, at, 'for update'))?.version ?? 0) + 1;
      const sealed = seal(Buffer.from(value, 'utf8'), { ...at, version }, keys.current);
      await queryable.execute(
        `insert into secrets (team_id, path, key, version, ciphertext, wrapped_key, key_id, updated_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8)
         on conflict (team_id, path, key) do update set version = excluded.version, ciphertext = excluded.ciphertext,
           wrapped_key = excluded.wrapped_key, key_id = excluded.key_id, updated_at = excluded.updated_at`,
        [at.teamId, at.path, at.key, version, sealed.ciphertext, sealed.wrappedKey, sealed.keyId, clock()],
      );
      return version;
    },
    async get(queryable, at) {
      const row = await find(queryable, at);
      return row && open(row, { ...at, version: row.version }, keys).toString('utf8');
    },
    async list(queryable, { teamId, path }) {
      const rows = await queryable.query<{ key: string }>(
        'select key from secrets where team_id = $1 and path = $2 order by key',
        [teamId, path],
      );
      return rows.map(({ key }) => key);
    },
    async remove(queryable, { teamId, path }: SecretOwner, key) {
      await queryable.execute(
        'delete from secrets where team_id = $1 and path = $2 and ($3::text is null or key = $3)',
        [teamId, path, key],
      );
    },
  };
}

async function find(
  queryable: Queryable,
  at: SecretLocation,
  lock: 'for update' | '' = '',
): Promise<SecretRow | undefined> {
  const [row] = await queryable.query<SecretRow>(
    `select version, ciphertext, wrapped_key, key_id from secrets where team_id = $1 and path = $2 and key = $3 ${lock}`,
    [at.teamId, at.path, at.key],
  );
  return row;
}
