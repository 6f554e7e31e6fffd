import type { ObjectAddress } from '../../../client/client.ts';
import { type Controller, createController, type ReconcileOutcome } from '../../../client/controller.ts';
import { controllerOf, isControlledBy } from '../../../client/owner.ts';
import { hasCondition, type Job, type JobStatus, jobOutcome } from '../../../schema/kinds/batch.ts';
import type { Pod } from '../../../schema/kinds/pod.ts';
import { objectKey, splitKey } from '../../../schema/object.ts';
import { JOB, POD } from '../../../schema/resources.ts';
import { isKubeError } from '../../../schema/status.ts';
import { addressOf, type ControllerContext } from '../controller-context.ts';
import { deletionOrder } from '../replica-set/pod-ranking.ts';
import { createPods, deletePods, JOB_NAME_LABEL, podsOf, release } from './job-pods.ts';
import { type JobState, jobState, type RetryTimings, readyCount, untilRetry } from './job-state.ts';
import { announcedStatus, countedStatus, isListed, type PodChange, saysTheSame, startedStatus } from './job-status.ts';
import { type Ending, endingOf, successOf, untilDeadline, wantedActive } from './job-verdict.ts';

export interface JobContext extends ControllerContext {
  /** Between pods that fail; default as Kubernetes: 10 s, doubling up to 10 minutes. */
  jobRetry?: RetryTimings;
}

const RETRY: RetryTimings = { baseMs: 10_000, maxMs: 600_000 };

/** Runs the pods of each Job until enough of them have succeeded or too many have failed, and counts each end once. */
export function createJobController(context: JobContext): Controller {
  const { clock, caches } = context;

  async function reconcile(key: string): Promise<ReconcileOutcome> {
    const { namespace = '', name } = splitKey(key);
    const job = await getIfPresent(context, { namespace, name });
    const pods = await podsOf(context, namespace, name);
    const isGoing = !job || job.metadata.deletionTimestamp !== undefined;
    for (const pod of pods) if (isGoing || !isControlledBy(pod, job)) await release(context, pod);
    if (isGoing) return;
    return jobOutcome(job) ? expire(context, job) : advance(job, pods);
  }

  async function advance(stored: Job, pods: Pod[]): Promise<ReconcileOutcome> {
    const job = { ...stored, status: startedStatus(stored, clock.now()) };
    const state = jobState(job, pods);
    let ending = endingOf(job, state, clock.now());
    const change = ending ? await endActive(context, job, state) : await manage(context, job, state);
    ending ??= successOf(job, { succeeded: state.succeeded, active: change.active });
    const announced = await write(context, stored, announcedStatus(job, state, { change, ending, now: clock.now() }));
    for (const pod of pods.filter((one) => isListed(announced, one))) await release(context, pod);
    const isQuiet = change.active + change.terminating === 0;
    await write(context, announced, countedStatus(announced, { ending, isQuiet, now: clock.now() }));
    if (ending && isQuiet) sayEnding(context, job, ending);
    const waits = [change.waitMs ?? 0, untilDeadline(job, clock.now()) ?? 0].filter((wait) => wait > 0);
    if (waits.length > 0 && !ending) return { requeueAfterMs: Math.min(...waits) };
  }

  return createController({ ...context, name: 'job', reconcile, concurrency: 2 })
    .watches(caches.of<Job>(JOB), (job) => [objectKey(job)])
    .watches(caches.of<Pod>(POD), (pod) => {
      const job = pod.metadata.labels?.[JOB_NAME_LABEL];
      const owner = controllerOf(pod);
      return job === undefined || (owner && owner.kind !== 'Job') ? [] : [`${pod.metadata.namespace}/${job}`];
    });
}

async function endActive(context: JobContext, job: Job, state: JobState): Promise<PodChange> {
  await deletePods(context, job, state.active);
  return { active: 0, ready: 0, terminating: state.terminating.length + state.active.length };
}

/** Makes the pods that are missing, or takes away those that are too many: all of them when the Job is suspended. */
async function manage(context: JobContext, job: Job, state: JobState): Promise<PodChange> {
  const { active, terminating } = state;
  const unchanged = { active: active.length, ready: readyCount(active), terminating: terminating.length };
  const missing = wantedActive(job, state) - active.length;
  if (missing < 0) {
    const surplus = deletionOrder(active).slice(0, -missing);
    await deletePods(context, job, surplus);
    const kept = active.filter((pod) => !surplus.includes(pod));
    return { active: kept.length, ready: readyCount(kept), terminating: terminating.length + surplus.length };
  }
  const toMake = missing - (job.spec.podReplacementPolicy === 'Failed' ? terminating.length : 0);
  if (toMake <= 0) return unchanged;
  const waitMs = untilRetry(state, context.clock.now(), context.jobRetry ?? RETRY);
  if (waitMs > 0) return { ...unchanged, waitMs };
  return { ...unchanged, active: active.length + (await createPods(context, job, toMake)) };
}

/** With the version it was decided on: what somebody else changed meanwhile is looked at first. */
async function write(context: JobContext, stored: Job, status: JobStatus): Promise<Job> {
  if (saysTheSame(stored.status, status)) return stored;
  const written = await context.client.replace<Job>(JOB, { ...stored, status }, { subresource: 'status' });
  const [before, now] = [stored, written].map((job) => hasCondition(job.status?.conditions, 'Suspended'));
  if (now !== before) {
    const [reason, message] = now ? ['Suspended', 'Job suspended'] : ['Resumed', 'Job resumed'];
    context.events.record(written, { type: 'Normal', reason: reason!, message: message! });
  }
  return written;
}

function sayEnding({ events }: JobContext, job: Job, { outcome, reason, message }: Ending): void {
  if (outcome === 'Complete') events.record(job, { type: 'Normal', reason: 'Completed', message: 'Job completed' });
  else events.record(job, { type: 'Warning', reason, message });
}

/** A finished Job goes when its time is up, with its pods. */
async function expire({ client, clock }: JobContext, job: Job): Promise<ReconcileOutcome> {
  const { ttlSecondsAfterFinished } = job.spec;
  if (ttlSecondsAfterFinished === undefined) return;
  const ended = job.status?.conditions?.find(({ type }) => type === jobOutcome(job))?.lastTransitionTime ?? '';
  const left = Date.parse(ended) + ttlSecondsAfterFinished * 1000 - clock.now();
  if (left > 0) return { requeueAfterMs: left };
  const { uid, resourceVersion } = job.metadata;
  const preconditions = { ...(uid ? { uid } : {}), ...(resourceVersion ? { resourceVersion } : {}) };
  await client.delete(JOB, addressOf(job), { propagationPolicy: 'Foreground', preconditions });
}

async function getIfPresent({ client }: ControllerContext, at: ObjectAddress): Promise<Job | undefined> {
  try {
    return await client.get<Job>(JOB, at);
  } catch (error) {
    if (isKubeError(error, 'NotFound')) return undefined;
    throw error;
  }
}
