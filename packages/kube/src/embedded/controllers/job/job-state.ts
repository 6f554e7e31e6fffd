import { isControlledBy } from '../../../client/owner.ts';
import type { Job } from '../../../schema/kinds/batch.ts';
import { isPodFinished, isPodReady, type Pod, podCondition } from '../../../schema/kinds/pod.ts';

/**
 * How a Job stands, by its pods. A pod carries a finalizer until its end is counted, so that none is lost that somebody deletes:
 *
 *   ended, with finalizer          its uid goes to `status.uncountedTerminatedPods`
 *   listed there, with finalizer   the finalizer goes
 *   listed there, without          it is counted in `status.succeeded` or `failed` and leaves the list, in one write
 *   ended, in neither              counted already
 */
export const TRACKING = 'batch.kubernetes.io/job-tracking';

export interface JobState {
  active: Pod[];
  /** On their way out and still running. */
  terminating: Pod[];
  /** Ended, of those that are still there. */
  failedPods: Pod[];
  succeededPods: Pod[];
  /** With a finalizer, whose end is to be counted. */
  ended: { succeeded: Pod[]; failed: Pod[] };
  succeeded: number;
  failed: number;
}

export function jobState(job: Job, pods: Pod[]): JobState {
  const own = pods.filter((pod) => isControlledBy(pod, job));
  const isFailed = (pod: Pod) => hasFailed(pod, job);
  const listed = job.status?.uncountedTerminatedPods ?? {};
  const known = new Set([...(listed.succeeded ?? []), ...(listed.failed ?? [])]);
  const ended = own.filter((pod) => isTracked(pod) && !known.has(pod.metadata.uid ?? ''));
  const [succeededPods, failedPods] = [own.filter(hasSucceeded), own.filter(isFailed)];
  const fresh = { succeeded: ended.filter(hasSucceeded), failed: ended.filter(isFailed) };
  return {
    active: own.filter((pod) => !isPodFinished(pod) && !pod.metadata.deletionTimestamp),
    terminating: own.filter((pod) => !isPodFinished(pod) && pod.metadata.deletionTimestamp !== undefined),
    failedPods,
    succeededPods,
    ended: fresh,
    succeeded: (job.status?.succeeded ?? 0) + (listed.succeeded?.length ?? 0) + fresh.succeeded.length,
    failed: (job.status?.failed ?? 0) + (listed.failed?.length ?? 0) + fresh.failed.length,
  };
}

export function isTracked(pod: Pod): boolean {
  return pod.metadata.finalizers?.includes(TRACKING) ?? false;
}

function hasSucceeded(pod: Pod): boolean {
  return pod.status?.phase === 'Succeeded';
}

/** One that is deleted counts when it begins to go, since it may never come to say how it ended; unless the Job wants to wait. */
function hasFailed(pod: Pod, job: Job): boolean {
  if (pod.status?.phase === 'Failed') return true;
  if (!pod.metadata.deletionTimestamp || hasSucceeded(pod)) return false;
  return job.spec.podReplacementPolicy === 'Failed' ? pod.status?.phase === 'Pending' : true;
}

export function readyCount(pods: Pod[]): number {
  return pods.filter(isPodReady).length;
}

export interface RetryTimings {
  baseMs: number;
  maxMs: number;
}

/** How long until the next pod may be made: doubles with each failure since the last success. */
export function untilRetry({ failedPods, succeededPods }: JobState, now: number, timings: RetryTimings): number {
  const lastSuccess = Math.max(0, ...succeededPods.map(finishedAt));
  const failures = failedPods.map(finishedAt).filter((at) => at > lastSuccess);
  if (failures.length === 0) return 0;
  const wait = Math.min(timings.baseMs * 2 ** (failures.length - 1), timings.maxMs);
  return Math.max(0, Math.max(...failures) + wait - now);
}

function finishedAt(pod: Pod): number {
  const ends = (pod.status?.containerStatuses ?? []).map(({ state }) => Date.parse(state.terminated?.finishedAt ?? ''));
  if (ends.length > 0 && ends.every((end) => !Number.isNaN(end))) return Math.max(...ends);
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, creationTimestamp = '' } = pod.metadata;
  const unready = podCondition(pod, 'Ready');
  if (unready?.status === 'False' && unready.lastTransitionTime) return Date.parse(unready.lastTransitionTime);
  if (deletionTimestamp) return Date.parse(deletionTimestamp) - deletionGracePeriodSeconds * 1000;
  return Date.parse(creationTimestamp);
}
