import { createHash, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Queryable, Transaction } from '../db/database.ts';
import type { MasterKeys } from './master-keys.ts';

/**
 * The credential with which one namespace reads its own secrets. It is derived, not kept: the database knows its salt and its hash, the
 * key file the rest, so a server can write it to the cluster again without the right to read a Secret there.
 */
const PREFIX = 'berth_delivery_';
const SALT_BYTES = 32;
const KEY_BYTES = 32;

/** The namespace's credential, made when it has none or when the master key is another one now: the one before stops working. */
export async function ensureDeliveryCredential(
  transaction: Transaction,
  keys: MasterKeys,
  namespace: { name: string; teamId: string; at: Date },
): Promise<string> {
  const { name, teamId, at } = namespace;
  const [row] = await transaction.query<{ salt: Buffer | undefined; secretHash: Buffer }>(
    'select salt, secret_hash from delivery_credentials where namespace = $1 and team_id = $2',
    [name, teamId],
  );
  const salt = row?.salt ?? randomBytes(SALT_BYTES);
  const credential = derive(keys, salt, name);
  if (row?.salt && timingSafeEqual(row.secretHash, hashOf(credential))) return credential;
  await transaction.execute(
    `insert into delivery_credentials (namespace, team_id, salt, secret_hash, created_at) values ($1, $2, $3, $4, $5)
     on conflict (namespace) do update
     set team_id = excluded.team_id, salt = excluded.salt, secret_hash = excluded.secret_hash, created_at = excluded.created_at`,
    [name, teamId, salt, hashOf(credential), at],
  );
  return credential;
}

/** The team that a credential belongs to. Found by its hash, so what can be timed is a hash that nobody can choose. */
export async function findTeamOfCredential(queryable: Queryable, credential: string): Promise<string | undefined> {
  const hash = hashOf(credential);
  const [row] = await queryable.query<{ teamId: string; secretHash: Buffer }>(
    'select team_id, secret_hash from delivery_credentials where secret_hash = $1',
    [hash],
  );
  return row && timingSafeEqual(row.secretHash, hash) ? row.teamId : undefined;
}

function derive({ current }: MasterKeys, salt: Buffer, namespace: string): string {
  const key = Buffer.from(hkdfSync('sha256', current.key, salt, 'berth delivery credential', KEY_BYTES));
  return PREFIX + createHmac('sha256', key).update(namespace).digest('base64url');
}

function hashOf(credential: string): Buffer {
  return createHash('sha256').update(credential).digest();
}
