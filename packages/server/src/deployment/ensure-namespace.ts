import { createHash } from 'node:crypto';
import { DELIVERY_SECRET_KEY, DELIVERY_SECRET_NAME, SERVER_MANAGER } from '@berth/core/user-deployment';
import type { KubeClient } from '@berth/kube/client/client';
import { SECRET } from '@berth/kube/schema/resources';
import { isKubeError } from '@berth/kube/schema/status';
import type { Clock } from '../clock.ts';
import type { Database } from '../db/database.ts';
import {
  isDeliveryCredentialOf,
  newDeliveryCredential,
  saveDeliveryCredential,
} from '../secret/delivery-credential.ts';
import { type Delivery, deliverySecret, namespaceObjects, type TeamNamespace } from './namespace.ts';

export interface NamespaceDeps {
  database: Database;
  client: Pick<KubeClient, 'get' | 'apply'>;
  delivery: Delivery;
  clock: Clock;
}

export interface NamespaceKeeper {
  /** Makes what is missing. Cheap when this process did it a moment ago and nothing about the team has changed. */
  ensure(team: TeamNamespace): Promise<void>;
  /** Something in the namespace turned out to be gone: look at all of it next time. */
  forget(namespace: string): void;
}

/** Somebody may have removed or changed an object by hand; so often they are written again. */
const FRESH_MS = 5 * 60_000;

export function createNamespaceKeeper(deps: NamespaceDeps): NamespaceKeeper {
  const { client, clock, delivery } = deps;
  const known = new Map<string, { hash: string; until: number }>();

  return {
    async ensure(team) {
      const objects = namespaceObjects(team, delivery);
      const hash = createHash('sha256').update(JSON.stringify(objects)).digest('base64');
      const last = known.get(team.namespace);
      if (last?.hash !== hash || last.until < clock().getTime()) {
        for (const { type, object } of objects) {
          await client.apply(type, object, { fieldManager: SERVER_MANAGER, force: true });
        }
      }
      await ensureCredential(deps, team);
      known.set(team.namespace, { hash, until: clock().getTime() + FRESH_MS });
    },
    forget(namespace) {
      known.delete(namespace);
    },
  };
}

/**
 * The Secret with the namespace's credential is made once. Only a hash is kept here, so one that was removed or changed is
 * replaced by a new credential. The hash and the Secret change under one lock; a crash between them leaves a pair that
 * does not fit, which the next look finds and replaces.
 */
export async function ensureCredential({ database, client, clock }: NamespaceDeps, team: TeamNamespace): Promise<void> {
  if (await isCredentialInPlace({ queryable: database, client }, team.namespace)) return;
  await database.transaction(async (transaction) => {
    await transaction.execute('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`delivery ${team.namespace}`]);
    // Another server may have made it while this one waited for the lock.
    if (await isCredentialInPlace({ queryable: transaction, client }, team.namespace)) return;
    const credential = newDeliveryCredential();
    const place = { name: team.namespace, teamId: team.teamId };
    await saveDeliveryCredential(transaction, place, { credential, at: clock() });
    await client.apply(SECRET, deliverySecret(team, credential), { fieldManager: SERVER_MANAGER, force: true });
  });
}

async function isCredentialInPlace(
  { queryable, client }: { queryable: Pick<Database, 'query' | 'execute'>; client: Pick<KubeClient, 'get'> },
  namespace: string,
): Promise<boolean> {
  const secret = await getOrUndefined(() => client.get(SECRET, { name: DELIVERY_SECRET_NAME, namespace }));
  const encoded = (secret?.data as Record<string, string> | undefined)?.[DELIVERY_SECRET_KEY];
  if (encoded === undefined) return false;
  return isDeliveryCredentialOf(queryable, namespace, Buffer.from(encoded, 'base64').toString());
}

/** "Not found" is an answer. */
export async function getOrUndefined<T>(get: () => Promise<T>): Promise<T | undefined> {
  try {
    return await get();
  } catch (error) {
    if (isKubeError(error, 'NotFound')) return undefined;
    throw error;
  }
}
