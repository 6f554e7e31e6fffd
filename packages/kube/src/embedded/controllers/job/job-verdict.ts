import { hasCondition, type Job } from '../../../schema/kinds/batch.ts';
import type { Pod } from '../../../schema/kinds/pod.ts';
import type { Condition } from '../../../schema/kinds/workload.ts';
import type { JobState } from './job-state.ts';

/** What a Job is to come to; undefined: go on. It is said first (`FailureTarget`) and enacted when nothing runs any more. */
export interface Ending {
  outcome: 'Complete' | 'Failed';
  reason: string;
  message: string;
}

const TARGETS = { Complete: 'SuccessCriteriaMet', Failed: 'FailureTarget' } as const;

/** An end that was announced stays; else a limit that is passed ends the Job, before a success is looked for. */
export function endingOf(job: Job, state: JobState, now: number): Ending | undefined {
  const announced = announcedEnding(job);
  if (announced) return announced;
  if (state.failed > (job.spec.backoffLimit ?? 6) || hasRestartedTooOften(job, state.active)) {
    return {
      outcome: 'Failed',
      reason: 'BackoffLimitExceeded',
      message: 'Job has reached the specified backoff limit',
    };
  }
  const left = untilDeadline(job, now);
  if (left !== undefined && left <= 0) {
    return { outcome: 'Failed', reason: 'DeadlineExceeded', message: 'Job was active longer than specified deadline' };
  }
  return undefined;
}

function announcedEnding(job: Job): Ending | undefined {
  for (const outcome of ['Complete', 'Failed'] as const) {
    const type = TARGETS[outcome];
    if (!hasCondition(job.status?.conditions, type)) continue;
    const { reason = '', message = '' } = job.status?.conditions?.find((one) => one.type === type) ?? {};
    return { outcome, reason, message };
  }
  return undefined;
}

/** Whether enough pods have succeeded, once no other runs. */
export function successOf(job: Job, state: { succeeded: number; active: number }): Ending | undefined {
  const wanted = job.spec.completions ?? 1;
  const isOver = job.spec.completions === undefined ? state.succeeded > 0 : state.succeeded >= wanted;
  if (!isOver || state.active > 0) return undefined;
  return { outcome: 'Complete', reason: 'CompletionsReached', message: 'Reached expected number of succeeded pods' };
}

/** How many pods should run. */
export function wantedActive(job: Job, state: JobState): number {
  const { suspend, parallelism = 1, completions } = job.spec;
  if (suspend) return 0;
  if (completions === undefined) return state.succeeded > 0 ? state.active.length : parallelism;
  return Math.max(0, Math.min(parallelism, completions - state.succeeded));
}

/** Milliseconds that the Job may go on for; undefined when it has no deadline or does not run. */
export function untilDeadline(job: Job, now: number): number | undefined {
  const { activeDeadlineSeconds, suspend } = job.spec;
  const { startTime } = job.status ?? {};
  if (activeDeadlineSeconds === undefined || suspend || !startTime) return undefined;
  return Date.parse(startTime) + activeDeadlineSeconds * 1000 - now;
}

function hasRestartedTooOften(job: Job, active: Pod[]): boolean {
  if (job.spec.template.spec.restartPolicy !== 'OnFailure') return false;
  const restarts = active
    .flatMap((pod) => [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])])
    .reduce((sum, { restartCount }) => sum + restartCount, 0);
  const { backoffLimit = 6 } = job.spec;
  return backoffLimit === 0 ? restarts > 0 : restarts >= backoffLimit;
}

export function targetCondition({ outcome }: Ending): string {
  return TARGETS[outcome];
}

export interface NewCondition {
  type: string;
  status: 'True' | 'False';
  reason: string;
  message: string;
}

/** The same array when it says so already. A `False` of what was never `True` is not worth saying. */
export function withCondition(conditions: Condition[], wanted: NewCondition, now: string): Condition[] {
  const found = conditions.find(({ type }) => type === wanted.type);
  if (!found && wanted.status === 'False') return conditions;
  if (found?.status === wanted.status && found.reason === wanted.reason) return conditions;
  const condition = { ...wanted, lastProbeTime: now, lastTransitionTime: now };
  return found ? conditions.map((one) => (one === found ? condition : one)) : [...conditions, condition];
}
