import type { Queryable, Transaction } from '../db/database.ts';
import type { SecretOwner, SecretStore } from '../secret/secret-store.ts';

export async function storeSecrets(
  secrets: SecretStore,
  transaction: Transaction,
  { owner, values }: { owner: SecretOwner; values: ReadonlyMap<string, string> },
): Promise<void> {
  for (const [key, value] of values) await secrets.put(transaction, { ...owner, key }, value);
}

/** Which secrets have a value, and how many bytes it has. */
export async function storedSizes(
  secrets: SecretStore,
  queryable: Queryable,
  owner: SecretOwner,
): Promise<Map<string, number>> {
  const sizes = new Map<string, number>();
  for (const key of await secrets.list(queryable, owner)) {
    const value = await secrets.get(queryable, { ...owner, key });
    sizes.set(key, Buffer.byteLength(value ?? ''));
  }
  return sizes;
}
