import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Queryable } from '../db/database.ts';

/** The credential with which one namespace reads its own secrets. The database knows a hash of it. */
const PREFIX = 'berth_delivery_';

export function newDeliveryCredential(): string {
  return PREFIX + randomBytes(32).toString('base64url');
}

/** Replaces the namespace's credential: the one before stops working. */
export async function saveDeliveryCredential(
  queryable: Queryable,
  namespace: { name: string; teamId: string },
  made: { credential: string; at: Date },
): Promise<void> {
  await queryable.execute(
    `insert into delivery_credentials (namespace, team_id, secret_hash, created_at) values ($1, $2, $3, $4)
     on conflict (namespace) do update set team_id = excluded.team_id, secret_hash = excluded.secret_hash, created_at = excluded.created_at`,
    [namespace.name, namespace.teamId, hashOf(made.credential), made.at],
  );
}

export async function isDeliveryCredentialOf(
  queryable: Queryable,
  namespace: string,
  credential: string,
): Promise<boolean> {
  const [row] = await queryable.query<{ secretHash: Buffer }>(
    'select secret_hash from delivery_credentials where namespace = $1',
    [namespace],
  );
  return row !== undefined && timingSafeEqual(row.secretHash, hashOf(credential));
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

function hashOf(credential: string): Buffer {
  return createHash('sha256').update(credential).digest();
}
