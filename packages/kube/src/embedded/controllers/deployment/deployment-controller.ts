import { type Controller, createController, type ReconcileOutcome } from '../../../client/controller.ts';
import { controllerOf } from '../../../client/owner.ts';
import { isPodFinished, type Pod } from '../../../schema/kinds/pod.ts';
import type { Deployment, DeploymentStatus, ReplicaSet } from '../../../schema/kinds/workload.ts';
import { objectKey } from '../../../schema/object.ts';
import { DEPLOYMENT, POD, REPLICA_SET } from '../../../schema/resources.ts';
import { isKubeError } from '../../../schema/status.ts';
import { BY_OWNER } from '../../caches.ts';
import { addressOf, type ControllerContext } from '../controller-context.ts';
import { stableJson } from '../stable-hash.ts';
import { deploymentStatus, untilDeadline } from './deployment-status.ts';
import { buildReplicaSet, findCurrentSet, oldestFirst, REVISION, revisionOf, setAnnotations } from './replica-sets.ts';
import { nextCurrentReplicas, nextOldReplicas, rolloutBounds, type SetCounts } from './rollout.ts';

const DEFAULT_HISTORY = 10;

/** Moves each Deployment's pods to its current template, one ReplicaSet a template. */
export function createDeploymentController(context: ControllerContext): Controller {
  const deployments = context.caches.of<Deployment>(DEPLOYMENT);
  const sets = context.caches.of<ReplicaSet>(REPLICA_SET);

  async function reconcile(key: string): Promise<ReconcileOutcome> {
    const deployment = deployments.get(key);
    if (!deployment || deployment.metadata.deletionTimestamp) return;
    const owned = sets
      .byIndex(BY_OWNER, deployment.metadata.uid ?? '')
      .filter((set) => controllerOf(set)?.uid === deployment.metadata.uid && !set.metadata.deletionTimestamp);
    const rollout = await step(context, deployment, owned);
    const all = rollout.current ? [...rollout.old, rollout.current] : rollout.old;
    const status = deploymentStatus({ deployment, current: rollout.current, sets: all, now: context.clock.now() });
    if (stableJson(status) !== stableJson(deployment.status ?? {})) {
      await writeStatus(context, deployment, status);
    }
    const wait = untilDeadline(deployment, status, context.clock.now());
    if (wait !== undefined) return { requeueAfterMs: wait };
  }

  return createController({ ...context, name: 'deployment', reconcile, concurrency: 4 })
    .watches(deployments, (deployment) => [objectKey(deployment)])
    .watches(sets, (set) => {
      const owner = controllerOf(set);
      return owner?.kind === 'Deployment' ? [`${set.metadata.namespace}/${owner.name}`] : [];
    })
    .watches(
      context.caches.of<Pod>(POD),
      (pod) => {
        // `Recreate` waits for the last old pod to be gone, which changes no count of its set.
        const set = sets.get(`${pod.metadata.namespace}/${controllerOf(pod)?.name}`);
        const owner = set && controllerOf(set);
        return owner?.kind === 'Deployment' ? [`${pod.metadata.namespace}/${owner.name}`] : [];
      },
      (change) => change.type === 'deleted' || isPodFinished(change.object),
    );
}

/** By uid rather than by version: the revision annotation may just have made a new one, and the status is ours alone. */
async function writeStatus(
  context: ControllerContext,
  deployment: Deployment,
  status: DeploymentStatus,
): Promise<void> {
  const body = { metadata: { uid: deployment.metadata.uid }, status };
  await context.client.patch(DEPLOYMENT, addressOf(deployment), { type: 'merge', body }, { subresource: 'status' });
}

interface Rollout {
  current: ReplicaSet | undefined;
  /** Oldest first. */
  old: ReplicaSet[];
}

async function step(context: ControllerContext, deployment: Deployment, owned: ReplicaSet[]): Promise<Rollout> {
  const found = findCurrentSet(deployment, owned);
  const old = oldestFirst(owned.filter((set) => set !== found));
  if (deployment.spec.paused) return scalePaused(context, deployment, { current: found, old });
  const current = await ensureCurrent(context, deployment, { current: found, old });
  const rollout = { current, old };
  const next =
    deployment.spec.strategy?.type === 'Recreate'
      ? await recreate(context, deployment, rollout)
      : await roll(context, deployment, rollout);
  await removeHistory(context, deployment, next.old);
  return next;
}

/** Finds or makes the set of the current template, with the highest revision of all. */
async function ensureCurrent(
  context: ControllerContext,
  deployment: Deployment,
  rollout: Rollout,
): Promise<ReplicaSet> {
  const revision = Math.max(0, ...rollout.old.map(revisionOf)) + 1;
  const current = rollout.current
    ? await followDeployment(context, deployment, { set: rollout.current, revision })
    : await createSet(context, deployment, revision);
  await recordRevision(context, deployment, current);
  return current;
}

/**
 * What may change of a set without its template: the annotations it shows as its revision's, and how long a pod must be ready.
 * After a rollback its template is one of before, and becomes the newest again.
 */
async function followDeployment(
  context: ControllerContext,
  deployment: Deployment,
  { set, revision }: { set: ReplicaSet; revision: number },
): Promise<ReplicaSet> {
  const annotations = setAnnotations(deployment, Math.max(revisionOf(set), revision));
  const minReadySeconds = deployment.spec.minReadySeconds ?? 0;
  const known = { ...set.metadata.annotations, ...annotations };
  if (stableJson(known) === stableJson(set.metadata.annotations) && (set.spec.minReadySeconds ?? 0) === minReadySeconds)
    return set;
  const body = { metadata: { uid: set.metadata.uid, annotations }, spec: { minReadySeconds } };
  return context.client.patch<ReplicaSet>(REPLICA_SET, addressOf(set), { type: 'merge', body });
}

async function recordRevision(context: ControllerContext, deployment: Deployment, current: ReplicaSet): Promise<void> {
  const revision = current.metadata.annotations?.[REVISION];
  if (!revision || deployment.metadata.annotations?.[REVISION] === revision) return;
  const body = { metadata: { uid: deployment.metadata.uid, annotations: { [REVISION]: revision } } };
  await context.client.patch<Deployment>(DEPLOYMENT, addressOf(deployment), { type: 'merge', body });
}

async function createSet(context: ControllerContext, deployment: Deployment, revision: number): Promise<ReplicaSet> {
  const wanted = buildReplicaSet(deployment, revision);
  try {
    return await context.client.create<ReplicaSet>(REPLICA_SET, wanted);
  } catch (error) {
    if (!isKubeError(error, 'AlreadyExists')) throw error;
    const existing = await context.client.get<ReplicaSet>(REPLICA_SET, addressOf(wanted));
    if (controllerOf(existing)?.uid === deployment.metadata.uid && findCurrentSet(deployment, [existing]))
      return existing;
    // Another owner has the name, or the hash of two templates is the same: a count changes the next hash.
    const collisionCount = (deployment.status?.collisionCount ?? 0) + 1;
    await writeStatus(context, deployment, { ...deployment.status, collisionCount });
    throw error;
  }
}

/** A paused rollout still follows the wanted number, with whatever template runs. */
async function scalePaused(context: ControllerContext, deployment: Deployment, rollout: Rollout): Promise<Rollout> {
  const replicas = deployment.spec.replicas ?? 1;
  const active = [...rollout.old, ...(rollout.current ? [rollout.current] : [])].filter(
    (set) => (set.spec.replicas ?? 0) > 0,
  );
  const only = active.length <= 1 ? (active[0] ?? rollout.current ?? rollout.old.at(-1)) : undefined;
  if (!only) return rollout;
  const scaled = await setReplicas(context, { deployment, set: only, replicas });
  return {
    current: rollout.current === only ? scaled : rollout.current,
    old: rollout.old.map((set) => (set === only ? scaled : set)),
  };
}

async function recreate(context: ControllerContext, deployment: Deployment, rollout: Rollout): Promise<Rollout> {
  const { current } = rollout;
  if (!current) return rollout;
  const old: ReplicaSet[] = [];
  for (const set of rollout.old) old.push(await setReplicas(context, { deployment, set, replicas: 0 }));
  // Nothing of an old pod may run, of those that are still stopping neither: that is the whole promise of this strategy.
  const pods = context.caches.of<Pod>(POD);
  const runs = (set: ReplicaSet) => pods.byIndex(BY_OWNER, set.metadata.uid ?? '').some((pod) => !isPodFinished(pod));
  if (old.some(runs)) return { current, old };
  const replicas = deployment.spec.replicas ?? 1;
  return { current: await setReplicas(context, { deployment, set: current, replicas }), old };
}

async function roll(context: ControllerContext, deployment: Deployment, rollout: Rollout): Promise<Rollout> {
  if (!rollout.current) return rollout;
  const replicas = deployment.spec.replicas ?? 1;
  const bounds = rolloutBounds(replicas, deployment.spec.strategy?.rollingUpdate);
  const oldCounts = rollout.old.map(countsOf);
  const up = nextCurrentReplicas({ replicas, bounds, current: countsOf(rollout.current), old: oldCounts });
  const current = await setReplicas(context, { deployment, set: rollout.current, replicas: up });
  const down = nextOldReplicas({ replicas, bounds, current: countsOf(current), old: oldCounts });
  const old: ReplicaSet[] = [];
  for (const [index, set] of rollout.old.entries()) {
    old.push(await setReplicas(context, { deployment, set, replicas: down[index] ?? 0 }));
  }
  return { current, old };
}

function countsOf(set: ReplicaSet): SetCounts {
  return {
    replicas: set.spec.replicas ?? 0,
    existing: set.status?.replicas ?? 0,
    available: Math.min(set.status?.availableReplicas ?? 0, set.spec.replicas ?? 0),
  };
}

async function setReplicas(
  context: ControllerContext,
  to: { deployment: Deployment; set: ReplicaSet; replicas: number },
): Promise<ReplicaSet> {
  const before = to.set.spec.replicas ?? 0;
  if (before === to.replicas) return to.set;
  const scaled = await context.client.replace<ReplicaSet>(REPLICA_SET, {
    ...to.set,
    spec: { ...to.set.spec, replicas: to.replicas },
  });
  const direction = to.replicas > before ? 'up' : 'down';
  const message = `Scaled ${direction} replica set ${to.set.metadata.name} from ${before} to ${to.replicas}`;
  context.events.record(to.deployment, { type: 'Normal', reason: 'ScalingReplicaSet', message });
  return scaled;
}

async function removeHistory(context: ControllerContext, deployment: Deployment, old: ReplicaSet[]): Promise<void> {
  const idle = old.filter((set) => (set.spec.replicas ?? 0) === 0 && (set.status?.replicas ?? 0) === 0);
  const surplus = idle.length - (deployment.spec.revisionHistoryLimit ?? DEFAULT_HISTORY);
  const byRevision = [...idle].sort((a, b) => revisionOf(a) - revisionOf(b));
  for (const set of byRevision.slice(0, Math.max(0, surplus))) {
    await context.client.delete(REPLICA_SET, addressOf(set), { preconditions: { uid: set.metadata.uid ?? '' } });
  }
}
