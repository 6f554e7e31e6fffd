import { isScheduled, type Job } from '@berth/core/job';
import { scheduledJobName } from '@berth/core/names';
import { ANNOTATIONS } from '@berth/core/user-deployment';
import { type CronJob, type Job as JobObject, jobOutcome } from '@berth/kube/schema/kinds/batch';
import type { KubeObject, ResourceType } from '@berth/kube/schema/object';
import { CRON_JOB, JOB } from '@berth/kube/schema/resources';
import { childKey } from './desired/child.ts';
import { runNameOf } from './desired/job.ts';
import { isKept } from './effective-spec.ts';
import { standingOf } from './ownership.ts';
import type { Situation } from './situation.ts';

/**
 * How far the run is that a job has before services start.
 *
 * A job of the last good version has succeeded, whether its Job is still there or not: so it is run again neither when that
 * version is brought back nor when somebody has cleaned up. A Job that failed for another version is run again for this one.
 */
export type RunState = 'Missing' | 'Running' | 'Succeeded' | 'Failed' | 'FailedBefore';

export function runState(situation: Situation, job: Job): RunState {
  if (isProven(situation, job)) return 'Succeeded';
  const run = runFor(situation, job);
  if (!run) return 'Missing';
  const outcome = jobOutcome(run);
  if (outcome === 'Complete') return 'Succeeded';
  if (outcome !== 'Failed') return 'Running';
  return run.metadata.annotations?.[ANNOTATIONS.specHash] === situation.specHash ? 'Failed' : 'FailedBefore';
}

/** The Job of this very run, if it is ours. */
export function runFor(situation: Situation, job: Job): JobObject | undefined {
  return ours(situation, JOB, runNameOf(situation.owner.name, job)) as JobObject | undefined;
}

export function scheduleFor(situation: Situation, job: Job): CronJob | undefined {
  return ours(situation, CRON_JOB, scheduledJobName(situation.owner.name, job.name)) as CronJob | undefined;
}

/** Is it to be made? It is never made twice, nor for a version that is only kept. */
export function mayRun(situation: Situation, job: Job): boolean {
  const { course, wanted, spec } = situation;
  if (isScheduled(job) || spec?.desired === 'stopped' || isKept(course, wanted)) return false;
  return ['Missing', 'FailedBefore'].includes(runState(situation, job));
}

function isProven({ owner, lastGood }: Situation, job: Job): boolean {
  const name = runNameOf(owner.name, job);
  return lastGood?.spec.jobs?.some((each) => !isScheduled(each) && runNameOf(owner.name, each) === name) ?? false;
}

function ours({ present, owned, owner }: Situation, type: ResourceType, name: string): KubeObject | undefined {
  const found =
    present.get(childKey(type, name)) ??
    owned.find((each) => each.type === type && each.object.metadata.name === name)?.object;
  return standingOf(found, owner) === 'ours' ? found : undefined;
}
