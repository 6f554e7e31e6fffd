import { SECRET_STORE_NAME } from '@berth/core/user-deployment';
import { pinnedTo } from '@berth/kube/client/apply';
import type { KubeClient } from '@berth/kube/client/client';
import type { Reconcile, ReconcileOutcome } from '@berth/kube/client/controller';
import { apiVersionOf } from '@berth/kube/schema/object';
import { SECRET } from '@berth/kube/schema/resources';
import { isKubeError } from '@berth/kube/schema/status';
import type { ExternalSecret, ExternalSecretCondition } from '../../kubernetes/external-secret.ts';
import { EXTERNAL_SECRET } from '../../kubernetes/resource-types.ts';
import type { Caches } from '../caches.ts';
import type { Secret, SecretFacts } from '../kinds.ts';
import { slimSecret } from '../slim-objects.ts';
import { deliveredSecret, isIntact, isOwnedBy, secretNameOf } from './delivered-secret.ts';
import { DeliveryError } from './delivery-error.ts';
import { openStore } from './open-store.ts';
import { readValue, type StoreConnections } from './read-value.ts';
import { isReady, refreshIn, syncedVersionOf } from './sync-state.ts';

/**
 * Delivers secrets where External Secrets is not installed: reads each key that an ExternalSecret names from our store and
 * makes the Secret, whole or not at all. Same objects, same conditions, so that either can take over from the other.
 */
export const DELIVERY_MANAGER = 'berth-delivery';

export interface DeliveryDependencies {
  caches: Pick<Caches, 'externalSecrets' | 'secretStores' | 'secrets'>;
  client: Pick<KubeClient, 'get' | 'apply'>;
  connections: StoreConnections;
  now: () => number;
}

/** Somebody may put the value there any time, and no event tells. */
const AFTER_ERROR_MS = 15_000;

export function createDelivery(dependencies: DeliveryDependencies): Reconcile {
  const { caches, now } = dependencies;
  return async function reconcileExternalSecret(key, { logger, signal }) {
    const externalSecret = caches.externalSecrets.get(key);
    if (!externalSecret || externalSecret.metadata.deletionTimestamp !== undefined) return undefined;
    if (!isForOurStore(externalSecret)) return undefined;
    const secret = await presentSecret(externalSecret, dependencies);
    if (isSynced(externalSecret, secret, now())) return next(externalSecret, now());
    try {
      await deliver(externalSecret, secret, { ...dependencies, signal });
    } catch (error) {
      if (!(error instanceof DeliveryError)) throw error;
      logger.info({ err: error }, 'secret not delivered');
      await writeStatus(externalSecret, { ready: false, message: error.message }, { ...dependencies, signal });
      // Zero: again with a delay that grows.
      return { requeueAfterMs: error.temporary ? 0 : AFTER_ERROR_MS };
    }
    await writeStatus(externalSecret, { ready: true, message: 'secret synced' }, { ...dependencies, signal });
    return refreshAgain(externalSecret);
  };
}

export function isForOurStore({ spec }: ExternalSecret): boolean {
  const { name, kind = 'SecretStore' } = spec.secretStoreRef ?? {};
  return name === SECRET_STORE_NAME && kind === 'SecretStore';
}

function isSynced(externalSecret: ExternalSecret, secret: SecretFacts | undefined, now: number): boolean {
  const { status } = externalSecret;
  return (
    secret !== undefined &&
    isIntact(secret, externalSecret) &&
    isReady(status) &&
    status?.syncedResourceVersion === syncedVersionOf(externalSecret) &&
    refreshIn(externalSecret, now) !== 0
  );
}

async function deliver(
  externalSecret: ExternalSecret,
  present: SecretFacts | undefined,
  { caches, client, connections, signal }: DeliveryDependencies & { signal: AbortSignal },
): Promise<void> {
  const { namespace = '' } = externalSecret.metadata;
  const name = secretNameOf(externalSecret);
  if (present && !isOwnedBy(present, externalSecret)) {
    throw new DeliveryError(`Secret ${name} exists and is not of this ExternalSecret; delete or rename it`);
  }
  const store = caches.secretStores.get(`${namespace}/${SECRET_STORE_NAME}`);
  if (!store) throw new DeliveryError(`SecretStore ${SECRET_STORE_NAME} is missing in namespace ${namespace}`);
  const open = await openStore(store, client);
  const values = new Map<string, string>();
  for (const item of externalSecret.spec.data ?? []) {
    values.set(item.secretKey, await readValue(open, item, { connections, signal }));
  }
  signal.throwIfAborted();
  // Whoever leads by now may have delivered newer values.
  const secret = pinnedTo(deliveredSecret(externalSecret, values), present);
  await client.apply(SECRET, secret, { fieldManager: DELIVERY_MANAGER, force: true, signal });
}

/** The cache knows Secrets of deployments; a name that it does not know may be taken all the same. */
async function presentSecret(
  externalSecret: ExternalSecret,
  { caches, client }: DeliveryDependencies,
): Promise<SecretFacts | undefined> {
  const { namespace = '' } = externalSecret.metadata;
  const name = secretNameOf(externalSecret);
  const cached = caches.secrets.get(`${namespace}/${name}`);
  if (cached) return cached;
  try {
    return slimSecret(await client.get<Secret>(SECRET, { name, namespace }));
  } catch (error) {
    if (isKubeError(error, 'NotFound')) return undefined;
    throw error;
  }
}

async function writeStatus(
  externalSecret: ExternalSecret,
  { ready, message }: { ready: boolean; message: string },
  { client, now, signal }: DeliveryDependencies & { signal: AbortSignal },
): Promise<void> {
  const { metadata, status } = externalSecret;
  const at = new Date(now()).toISOString();
  const before = status?.conditions?.find(({ type }) => type === 'Ready');
  const value = ready ? 'True' : 'False';
  const reason = ready ? 'SecretSynced' : 'SecretSyncedError';
  if (!ready && before?.status === value && before.message === message) return;
  const lastTransitionTime = before?.status === value ? before.lastTransitionTime : at;
  const condition: ExternalSecretCondition = { type: 'Ready', status: value, reason, message, lastTransitionTime };
  const synced = ready
    ? {
        refreshTime: at,
        syncedResourceVersion: syncedVersionOf(externalSecret),
        binding: { name: secretNameOf(externalSecret) },
      }
    : {
        refreshTime: status?.refreshTime,
        syncedResourceVersion: status?.syncedResourceVersion,
        binding: status?.binding,
      };
  const { name, namespace = '' } = metadata;
  const plain = {
    apiVersion: apiVersionOf(EXTERNAL_SECRET),
    kind: EXTERNAL_SECRET.kind,
    metadata: { name, namespace },
    status: { ...synced, conditions: [condition] },
  };
  const object = pinnedTo(plain, externalSecret);
  try {
    await client.apply(EXTERNAL_SECRET, object, {
      subresource: 'status',
      fieldManager: DELIVERY_MANAGER,
      force: true,
      signal,
    });
  } catch (error) {
    // Gone meanwhile, and its Secret goes with it.
    if (!isKubeError(error, 'NotFound')) throw error;
  }
}

function next(externalSecret: ExternalSecret, now: number): ReconcileOutcome {
  const after = refreshIn(externalSecret, now);
  return after === undefined ? undefined : { requeueAfterMs: after };
}

function refreshAgain(externalSecret: ExternalSecret): ReconcileOutcome {
  const { status: _old, ...fresh } = externalSecret;
  const after = refreshIn({ ...fresh, status: { refreshTime: new Date(0).toISOString() } }, 0);
  return after === undefined ? undefined : { requeueAfterMs: after };
}
