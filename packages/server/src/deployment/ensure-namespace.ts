import { createHash } from 'node:crypto';
import { SERVER_MANAGER } from '@berth/core/user-deployment';
import type { KubeClient } from '@berth/kube/client/client';
import { NAMESPACE, SECRET } from '@berth/kube/schema/resources';
import { isKubeError } from '@berth/kube/schema/status';
import type { Clock } from '../clock.ts';
import type { Database } from '../db/database.ts';
import { ensureDeliveryCredential } from '../secret/delivery-credential.ts';
import type { MasterKeys } from '../secret/master-keys.ts';
import { type Delivery, deliverySecret, namespaceObjects, type TeamNamespace } from './namespace.ts';
import { checkPreparedNamespace } from './prepared-namespace.ts';

export interface NamespaceDeps {
  database: Database;
  client: Pick<KubeClient, 'get' | 'apply'>;
  /** The credentials of namespaces are derived from them. */
  keys: MasterKeys;
  delivery: Delivery;
  clock: Clock;
  /** The only namespaces that may be used, made by somebody else; any, made here, when absent. */
  confinedTo?: readonly string[] | undefined;
}

export interface NamespaceKeeper {
  /** False for a namespace that this installation has no right in: nothing of ours was ever there. */
  mayEnter(namespace: string): boolean;
  /** Makes what is missing. Cheap when this process did it a moment ago and nothing about the team has changed. */
  ensure(team: TeamNamespace): Promise<void>;
  /** Something in the namespace turned out to be gone: look at all of it next time. */
  forget(namespace: string): void;
}

/** Somebody may have removed or changed an object by hand; so often they are written again. */
const FRESH_MS = 5 * 60_000;

export function createNamespaceKeeper(deps: NamespaceDeps): NamespaceKeeper {
  const { client, clock, delivery, confinedTo } = deps;
  const known = new Map<string, { hash: string; until: number }>();

  return {
    mayEnter: (namespace) => confinedTo === undefined || confinedTo.includes(namespace),
    async ensure(team) {
      const objects = namespaceObjects(team, delivery);
      const hash = createHash('sha256').update(JSON.stringify(objects)).digest('base64');
      const last = known.get(team.namespace);
      if (last?.hash === hash && last.until > clock().getTime()) return;
      if (confinedTo) await checkPreparedNamespace(client, team, confinedTo);
      for (const { type, object } of objects) {
        if (confinedTo && type === NAMESPACE) continue;
        await client.apply(type, object, { fieldManager: SERVER_MANAGER, force: true });
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
 * The Secret with the namespace's credential. It is written without being read: the server has no right to see a Secret. An apply
 * names what it makes, so the right to make one holds for this name alone; one that changes nothing makes no new version. The lock
 * keeps two servers from bringing different ones.
 */
export async function ensureCredential(deps: NamespaceDeps, team: TeamNamespace): Promise<void> {
  const { database, client, clock, keys } = deps;
  await database.transaction(async (transaction) => {
    await transaction.execute('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`delivery ${team.namespace}`]);
    const place = { name: team.namespace, teamId: team.teamId, at: clock() };
    const secret = deliverySecret(team, await ensureDeliveryCredential(transaction, keys, place));
    await client.apply(SECRET, secret, { fieldManager: SERVER_MANAGER, force: true });
  });
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
