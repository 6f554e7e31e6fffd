import { BerthError } from '@berth/core/errors';
import type { Transaction } from '../db/database.ts';
import { fingerprint, isFingerprintOf, type MasterKeys } from '../secret/master-keys.ts';

/**
 * A retry with the same `Idempotency-Key` gets the first answer. The key is taken first in the transaction that does the
 * work, so of two at once the second waits for the first's commit and then reads its answer; when the first fails, nothing
 * was done and the second does it. What was asked is kept as a keyed fingerprint, since it may hold secrets.
 */
export interface IdempotencyKey {
  userId: string;
  /** As sent; absent when the client sent none, and then every request is a new one. */
  key: string | undefined;
  /** The whole request as plain data. */
  request: unknown;
}

export interface Answer<T> {
  response: T;
  replayed: boolean;
}

const KEY = /^[\x21-\x7e]{1,200}$/;
/** A key is remembered for so long. */
export const KEPT_HOURS = 24;

export async function idempotently<T>(
  { transaction, keys, clock }: { transaction: Transaction; keys: MasterKeys; clock: () => Date },
  { userId, key, request }: IdempotencyKey,
  work: () => Promise<T>,
): Promise<Answer<T>> {
  if (key === undefined) return { response: await work(), replayed: false };
  if (!KEY.test(key)) {
    throw new BerthError('invalid_input', 'Idempotency-Key takes 1 to 200 visible characters, such as a UUID.');
  }
  const text = canonical(request);
  const taken = await transaction.execute(
    `insert into idempotency_keys (user_id, key, request_hash, status, response, created_at)
     values ($1, $2, $3, 0, '{}', $4) on conflict (user_id, key) do nothing`,
    [userId, key, fingerprint(keys, text), clock()],
  );
  if (taken === 0) return { response: await replay<T>(transaction, { userId, key, text, keys }), replayed: true };
  const response = await work();
  await transaction.execute('update idempotency_keys set status = 200, response = $3 where user_id = $1 and key = $2', [
    userId,
    key,
    JSON.stringify(response),
  ]);
  return { response, replayed: false };
}

export async function forgetOldKeys(queryable: Pick<Transaction, 'execute'>, now: Date): Promise<void> {
  const limit = new Date(now.getTime() - KEPT_HOURS * 3_600_000);
  await queryable.execute('delete from idempotency_keys where created_at < $1', [limit]);
}

async function replay<T>(
  transaction: Transaction,
  asked: { userId: string; key: string; text: string; keys: MasterKeys },
): Promise<T> {
  const [row] = await transaction.query<{ requestHash: string; response: T }>(
    'select request_hash, response from idempotency_keys where user_id = $1 and key = $2',
    [asked.userId, asked.key],
  );
  if (!row)
    throw new BerthError('unavailable', 'The first request with this key was forgotten just now. Send it again.');
  if (isFingerprintOf(asked.keys, row.requestHash, asked.text)) return row.response;
  throw new BerthError(
    'idempotency_mismatch',
    'This Idempotency-Key was sent before with a different request. Use a new key for a new request.',
  );
}

/** The same data gives the same text, in whatever order its keys came. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) =>
    typeof item === 'object' && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  );
}
