import { type Controller, createController, type ReconcileOutcome } from '../../../client/controller.ts';
import { controllerOf, controllerReference } from '../../../client/owner.ts';
import { isPodFinished, type Pod } from '../../../schema/kinds/pod.ts';
import type { ReplicaSet } from '../../../schema/kinds/workload.ts';
import { matchesLabelSelector } from '../../../schema/label-selector.ts';
import { objectKey } from '../../../schema/object.ts';
import { POD, REPLICA_SET } from '../../../schema/resources.ts';
import { isKubeError } from '../../../schema/status.ts';
import { BY_NAMESPACE, BY_OWNER } from '../../caches.ts';
import { addressOf, type ControllerContext } from '../controller-context.ts';
import { randomSuffix, stableJson } from '../stable-hash.ts';
import { createOwnWrites, type OwnWrites } from './own-writes.ts';
import { deletionOrder } from './pod-ranking.ts';
import { replicaSetStatus, untilAvailable } from './replica-set-status.ts';

/** Pods made or deleted in one reconcile: a failing quota costs this many refusals, not one a replica. */
const BURST = 50;

/** Keeps as many pods of each ReplicaSet as its spec says, and counts them in its status. */
export function createReplicaSetController(context: ControllerContext): Controller {
  const sets = context.caches.of<ReplicaSet>(REPLICA_SET);
  const pods = context.caches.of<Pod>(POD);
  const writes = createOwnWrites(context.clock);

  async function reconcile(key: string): Promise<ReconcileOutcome> {
    const set = sets.get(key);
    // What is going away is the garbage collector's: a pod made now would outlive its set.
    if (!set || set.metadata.deletionTimestamp) return;
    const owned = await claimPods(context, set);
    const active = writes.overlay(set.metadata.uid ?? '', owned).filter(isActive);
    const scaled = await scale({ ...context, writes }, set, active);
    const current = writes.overlay(set.metadata.uid ?? '', scaled).filter(isActive);
    await writeStatus(context, set, current);
    const waits = current
      .map((pod) => untilAvailable(pod, set.spec.minReadySeconds ?? 0, context.clock.now()) ?? 0)
      .filter((wait) => wait > 0);
    if (waits.length > 0) return { requeueAfterMs: Math.min(...waits) };
  }

  return createController({ ...context, name: 'replicaset', reconcile, concurrency: 4 })
    .watches(sets, (set) => [objectKey(set)])
    .watches(pods, (pod) => {
      const owner = controllerOf(pod);
      if (owner?.kind === 'ReplicaSet') return [`${pod.metadata.namespace}/${owner.name}`];
      if (owner) return [];
      // An orphan may match a set that wants it.
      const near = sets.byIndex(BY_NAMESPACE, pod.metadata.namespace ?? '');
      return near.filter((set) => matchesLabelSelector(set.spec.selector, pod.metadata.labels)).map(objectKey);
    });
}

function isActive(pod: Pod): boolean {
  return !isPodFinished(pod) && !pod.metadata.deletionTimestamp;
}

/** The set's pods: its own, less those whose labels left it, plus orphans that match. */
async function claimPods(context: ControllerContext, set: ReplicaSet): Promise<Pod[]> {
  const cache = context.caches.of<Pod>(POD);
  const claimed: Pod[] = [];
  for (const pod of cache.byIndex(BY_OWNER, set.metadata.uid ?? '')) {
    if (controllerOf(pod)?.uid !== set.metadata.uid) continue;
    if (matchesLabelSelector(set.spec.selector, pod.metadata.labels) || pod.metadata.deletionTimestamp)
      claimed.push(pod);
    else
      await setOwners(
        context,
        pod,
        (pod.metadata.ownerReferences ?? []).filter((one) => one.uid !== set.metadata.uid),
      );
  }
  for (const pod of cache.byIndex(BY_NAMESPACE, set.metadata.namespace ?? '')) {
    if (controllerOf(pod) || !isActive(pod) || !matchesLabelSelector(set.spec.selector, pod.metadata.labels)) continue;
    const owners = [...(pod.metadata.ownerReferences ?? []), controllerReference(set)];
    claimed.push(await setOwners(context, pod, owners));
  }
  return claimed;
}

function setOwners(context: ControllerContext, pod: Pod, ownerReferences: unknown[]): Promise<Pod> {
  const { uid, resourceVersion } = pod.metadata;
  const body = { metadata: { uid, resourceVersion, ownerReferences } };
  return context.client.patch<Pod>(POD, addressOf(pod), { type: 'merge', body });
}

type ScaleContext = ControllerContext & { writes: OwnWrites };

async function scale(context: ScaleContext, set: ReplicaSet, active: Pod[]): Promise<Pod[]> {
  const missing = (set.spec.replicas ?? 1) - active.length;
  if (missing > 0) {
    const names = Array.from({ length: Math.min(missing, BURST) }, () => randomSuffix(context.newId));
    for (const name of names) await createPod(context, set, name);
  } else if (missing < 0) {
    for (const pod of deletionOrder(active).slice(0, Math.min(-missing, BURST))) await deletePod(context, set, pod);
  }
  return active;
}

async function createPod(context: ScaleContext, set: ReplicaSet, suffix: string): Promise<void> {
  const { metadata, spec } = set.spec.template;
  const pod: Pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `${set.metadata.name.slice(0, 57)}-${suffix}`,
      generateName: `${set.metadata.name}-`,
      ...(set.metadata.namespace ? { namespace: set.metadata.namespace } : {}),
      ...(metadata?.labels ? { labels: metadata.labels } : {}),
      ...(metadata?.annotations ? { annotations: metadata.annotations } : {}),
      ownerReferences: [controllerReference(set)],
    },
    spec,
  };
  try {
    const created = await context.client.create<Pod>(POD, pod);
    context.writes.created(set.metadata.uid ?? '', created);
    const message = `Created pod: ${created.metadata.name}`;
    context.events.record(set, { type: 'Normal', reason: 'SuccessfulCreate', message });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    context.events.record(set, { type: 'Warning', reason: 'FailedCreate', message: `Error creating: ${message}` });
    await writeFailure(context, set, message);
    throw error;
  }
}

async function deletePod(context: ScaleContext, set: ReplicaSet, pod: Pod): Promise<void> {
  const uid = pod.metadata.uid;
  try {
    await context.client.delete(POD, addressOf(pod), uid ? { preconditions: { uid } } : {});
  } catch (error) {
    // Gone, or another of the same name: either way this pod is no more.
    if (!isKubeError(error, 'NotFound') && !isKubeError(error, 'Conflict')) throw error;
  }
  context.writes.deleted(pod);
  const message = `Deleted pod: ${pod.metadata.name}`;
  context.events.record(set, { type: 'Normal', reason: 'SuccessfulDelete', message });
}

async function writeStatus(context: ControllerContext, set: ReplicaSet, pods: Pod[]): Promise<void> {
  const status = replicaSetStatus(set, pods, context.clock.now());
  const conditions = (set.status?.conditions ?? []).filter(({ type }) => type !== 'ReplicaFailure');
  await putStatus(context, set, { ...status, ...(conditions.length > 0 ? { conditions } : {}) });
}

/** Why no pod could be made, where `kubectl describe` and the Deployment look for it. */
async function writeFailure(context: ControllerContext, set: ReplicaSet, message: string): Promise<void> {
  // The name that the pod would have had is another each time: written anew it would call us at once, for ever.
  const known = (text = '') =>
    text.replaceAll(new RegExp(`\\b${set.metadata.name.slice(0, 57)}-[a-z0-9]{5}\\b`, 'g'), '');
  const isKnown = set.status?.conditions?.some(
    (one) => one.type === 'ReplicaFailure' && known(one.message) === known(message),
  );
  if (isKnown) return;
  const lastTransitionTime = new Date(context.clock.now()).toISOString().replace(/\.\d+Z$/, 'Z');
  const failure = {
    type: 'ReplicaFailure',
    status: 'True' as const,
    reason: 'FailedCreate',
    message,
    lastTransitionTime,
  };
  const rest = (set.status?.conditions ?? []).filter(({ type }) => type !== 'ReplicaFailure');
  await putStatus(context, set, { replicas: 0, ...set.status, conditions: [...rest, failure] });
}

async function putStatus(
  context: ControllerContext,
  set: ReplicaSet,
  status: NonNullable<ReplicaSet['status']>,
): Promise<void> {
  if (stableJson(withoutZeros(status)) === stableJson(withoutZeros(set.status ?? {}))) return;
  await context.client.replace<ReplicaSet>(REPLICA_SET, { ...set, status }, { subresource: 'status' });
}

/** The server may leave out counts of zero. */
function withoutZeros(status: object): object {
  return Object.fromEntries(Object.entries(status).filter(([, value]) => value !== 0));
}
