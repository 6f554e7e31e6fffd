import type { Condition, Deployment, DeploymentStatus, ReplicaSet } from '../../../schema/kinds/workload.ts';
import { timestamp } from '../controller-context.ts';
import { rolloutBounds } from './rollout.ts';

export interface StatusInput {
  deployment: Deployment;
  current: ReplicaSet | undefined;
  /** All of them, the current one too. */
  sets: ReplicaSet[];
  now: number;
}

const DEFAULT_PROGRESS_DEADLINE_SECONDS = 600;

/** Counts and conditions as `kubectl rollout status` reads them. */
export function deploymentStatus(input: StatusInput): DeploymentStatus {
  const { deployment, current, sets } = input;
  const count = (of: (set: ReplicaSet) => number | undefined): number =>
    sets.reduce((total, set) => total + (of(set) ?? 0), 0);
  const replicas = count((set) => set.status?.replicas);
  const available = count((set) => set.status?.availableReplicas);
  const wanted = count((set) => set.spec.replicas);
  const counts: DeploymentStatus = {
    observedGeneration: deployment.metadata.generation ?? 0,
    replicas,
    updatedReplicas: current?.status?.replicas ?? 0,
    readyReplicas: count((set) => set.status?.readyReplicas),
    availableReplicas: available,
    unavailableReplicas: Math.max(0, wanted - available),
    ...(deployment.status?.collisionCount ? { collisionCount: deployment.status.collisionCount } : {}),
  };
  const conditions = [availableCondition(input, available), progressCondition(input, counts), failureOf(sets)];
  return {
    ...counts,
    conditions: conditions
      .filter((condition): condition is Condition => condition !== undefined)
      .map((condition) => keepTimes(condition, input, counts)),
  };
}

/** All wanted pods are of the new template, available, and no old one is left. */
export function isComplete(deployment: Deployment, status: DeploymentStatus): boolean {
  const replicas = deployment.spec.replicas ?? 1;
  return status.updatedReplicas === replicas && status.replicas === replicas && status.availableReplicas === replicas;
}

/** Milliseconds until the deadline of a rollout that makes no progress. */
export function untilDeadline(deployment: Deployment, status: DeploymentStatus, now: number): number | undefined {
  const progress = status.conditions?.find(({ type }) => type === 'Progressing');
  if (progress?.status !== 'True' || deployment.spec.paused || isComplete(deployment, status)) return undefined;
  const since = Date.parse(progress.lastUpdateTime ?? '') || now;
  return Math.max(1000, since + deadlineSeconds(deployment) * 1000 - now + 1000);
}

function availableCondition({ deployment }: StatusInput, available: number): Condition {
  const replicas = deployment.spec.replicas ?? 1;
  const { unavailable } = rolloutBounds(replicas, deployment.spec.strategy?.rollingUpdate);
  const allowed = deployment.spec.strategy?.type === 'Recreate' ? 0 : unavailable;
  return available >= replicas - allowed
    ? {
        type: 'Available',
        status: 'True',
        reason: 'MinimumReplicasAvailable',
        message: 'Deployment has minimum availability.',
      }
    : {
        type: 'Available',
        status: 'False',
        reason: 'MinimumReplicasUnavailable',
        message: 'Deployment does not have minimum availability.',
      };
}

function progressCondition({ deployment, current, now }: StatusInput, counts: DeploymentStatus): Condition | undefined {
  const name = deployment.metadata.name;
  const set = current?.metadata.name;
  const before = deployment.status?.conditions?.find(({ type }) => type === 'Progressing');
  const progressing = (reason: string, message: string): Condition => ({
    type: 'Progressing',
    status: 'True',
    reason,
    message,
  });
  if (deployment.spec.paused) {
    return { type: 'Progressing', status: 'Unknown', reason: 'DeploymentPaused', message: 'Deployment is paused' };
  }
  if (current && isComplete(deployment, counts)) {
    return progressing('NewReplicaSetAvailable', `ReplicaSet "${set}" has successfully progressed.`);
  }
  if (!current) return progressing('ReplicaSetUpdated', `Deployment "${name}" is progressing.`);
  if (before?.status !== 'True' && before?.reason !== 'ProgressDeadlineExceeded') {
    return progressing('NewReplicaSetCreated', `Created new replica set "${set}"`);
  }
  if (madeProgress(deployment.status, counts))
    return progressing('ReplicaSetUpdated', `ReplicaSet "${set}" is progressing.`);
  const since = Date.parse(before.lastUpdateTime ?? '') || now;
  const late = before.reason !== 'NewReplicaSetAvailable' && now - since >= deadlineSeconds(deployment) * 1000;
  if (late || before.status !== 'True') {
    const message = `ReplicaSet "${set}" has timed out progressing.`;
    return { type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded', message };
  }
  return before.reason === 'NewReplicaSetAvailable'
    ? progressing('ReplicaSetUpdated', `ReplicaSet "${set}" is progressing.`)
    : progressing(before.reason ?? 'ReplicaSetUpdated', before.message ?? '');
}

function madeProgress(before: DeploymentStatus | undefined, now: DeploymentStatus): boolean {
  const old = (status: DeploymentStatus | undefined) => (status?.replicas ?? 0) - (status?.updatedReplicas ?? 0);
  return (
    (now.updatedReplicas ?? 0) > (before?.updatedReplicas ?? 0) ||
    (now.readyReplicas ?? 0) > (before?.readyReplicas ?? 0) ||
    (now.availableReplicas ?? 0) > (before?.availableReplicas ?? 0) ||
    old(now) < old(before)
  );
}

function failureOf(sets: ReplicaSet[]): Condition | undefined {
  const failure = sets.flatMap((set) => set.status?.conditions ?? []).find(({ type }) => type === 'ReplicaFailure');
  return (
    failure && {
      type: failure.type,
      status: failure.status,
      reason: failure.reason ?? '',
      message: failure.message ?? '',
    }
  );
}

/** A condition that says the same keeps its times: otherwise every reconcile would be a write, and every write a reconcile. */
function keepTimes(condition: Condition, { deployment, now }: StatusInput, counts: DeploymentStatus): Condition {
  const before = deployment.status?.conditions?.find(({ type }) => type === condition.type);
  // A step forward gives the rollout its whole deadline again.
  const stepped = condition.type === 'Progressing' && madeProgress(deployment.status, counts);
  const same =
    before?.status === condition.status && before.reason === condition.reason && before.message === condition.message;
  const updated = same && !stepped ? before.lastUpdateTime : timestamp(now);
  const transitioned = before?.status === condition.status ? before.lastTransitionTime : timestamp(now);
  return {
    ...condition,
    lastUpdateTime: updated ?? timestamp(now),
    lastTransitionTime: transitioned ?? timestamp(now),
  };
}

function deadlineSeconds(deployment: Deployment): number {
  return deployment.spec.progressDeadlineSeconds ?? DEFAULT_PROGRESS_DEADLINE_SECONDS;
}
