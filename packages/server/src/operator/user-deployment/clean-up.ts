import { MAX_NAME_LENGTH } from '@berth/core/names';
import { LABELS } from '@berth/core/user-deployment';
import type { KubeClient } from '@berth/kube/client/client';
import { controllerOf, deleteExactly } from '@berth/kube/client/owner';
import type { KubeObject, ResourceType } from '@berth/kube/schema/object';
import {
  CONFIG_MAP,
  CONTROLLER_REVISION,
  CRON_JOB,
  DEPLOYMENT,
  INGRESS,
  JOB,
  NETWORK_POLICY,
  PERSISTENT_VOLUME_CLAIM,
  POD,
  SECRET,
  SERVICE,
} from '@berth/kube/schema/resources';
import { EXTERNAL_SECRET } from '../../kubernetes/resource-types.ts';
import type { Owner } from './desired/child.ts';

/**
 * Takes a deployment down in steps; each begins when the one before has nothing left:
 *
 *     no address -> no pods -> nothing they used, and no Secret -> no isolation any more -> no data
 *
 * Every step asks the server and not the cache, which may not know yet what the last reconcile made. What is not found is
 * done. Safe to begin again at any point.
 */
const STEPS: readonly Step[] = [
  { type: INGRESS, isOurs: isChild, deletes: true },
  { type: DEPLOYMENT, isOurs: isChild, deletes: true },
  // Before its runs, of which it would make more.
  { type: CRON_JOB, isOurs: isChild, deletes: true },
  { type: JOB, isOurs: isRun, deletes: true },
  // Kubernetes takes them down with what made them and gives them their grace period.
  { type: POD, isOurs: isMadePod, deletes: false },
  { type: SERVICE, isOurs: isChild, deletes: true },
  { type: CONFIG_MAP, isOurs: isChild, deletes: true },
  // Before its Secret, which it would make again.
  { type: EXTERNAL_SECRET, isOurs: isChild, deletes: true },
  { type: SECRET, isOurs: isDelivered, deletes: true },
  { type: NETWORK_POLICY, isOurs: isChild, deletes: true },
  { type: CONTROLLER_REVISION, isOurs: isChild, deletes: true },
  { type: PERSISTENT_VOLUME_CLAIM, isOurs: isChild, deletes: true },
];

interface Step {
  type: ResourceType;
  isOurs: (object: KubeObject, owner: Owner) => boolean;
  deletes: boolean;
}

/** Returns what is still there, in words; nothing when all is gone. */
export async function cleanUp(
  owner: Owner,
  { client, signal }: { client: Pick<KubeClient, 'list' | 'delete'>; signal: AbortSignal },
): Promise<string[]> {
  // No label holds such a name, so nothing was ever made for it, and the server refuses to be asked.
  if (owner.name.length > MAX_NAME_LENGTH) return [];
  for (const step of STEPS) {
    let left = await remaining(step, owner, client);
    if (left.length > 0 && step.deletes) {
      for (const object of left.filter(({ metadata }) => metadata.deletionTimestamp === undefined)) {
        signal.throwIfAborted();
        await deleteExactly(client, step.type, { object, signal });
      }
      left = await remaining(step, owner, client);
    }
    if (left.length > 0) return left.map((object) => describe(step.type, object));
  }
  return [];
}

async function remaining(
  { type, isOurs }: Step,
  owner: Owner,
  client: Pick<KubeClient, 'list'>,
): Promise<KubeObject[]> {
  const labelSelector = `${LABELS.deployment}=${owner.name}`;
  const { items } = await client.list(type, { namespace: owner.namespace, labelSelector });
  return items.filter((object) => isOurs(object, owner));
}

function isChild(object: KubeObject, owner: Owner): boolean {
  return controllerOf(object)?.uid === owner.uid;
}

/** One that somebody made by hand with our label is theirs. */
function isMadePod(pod: KubeObject): boolean {
  return ['ReplicaSet', 'Job'].includes(controllerOf(pod)?.kind ?? '');
}

/** Ours, or of a schedule of ours that may be gone already. */
function isRun(job: KubeObject, owner: Owner): boolean {
  return isChild(job, owner) || controllerOf(job)?.kind === 'CronJob';
}

function isDelivered(secret: KubeObject): boolean {
  return controllerOf(secret)?.kind === 'ExternalSecret';
}

function describe(type: ResourceType, { metadata }: KubeObject): string {
  const waitsFor = metadata.finalizers?.length ? ` (waits for ${metadata.finalizers.join(', ')})` : '';
  return `${type.kind} ${metadata.name}${waitsFor}`;
}
