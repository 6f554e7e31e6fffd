import type { Job, JobStatus } from '../../../schema/kinds/batch.ts';
import type { Pod } from '../../../schema/kinds/pod.ts';
import { timestamp } from '../controller-context.ts';
import { stableJson } from '../stable-hash.ts';
import type { JobState } from './job-state.ts';
import { type Ending, targetCondition, withCondition } from './job-verdict.ts';

export interface PodChange {
  active: number;
  ready: number;
  terminating: number;
  /** Until pods may be made again. */
  waitMs?: number;
}

/** The time from which its deadline counts; of a Job that was suspended, the moment it goes on. */
export function startedStatus(job: Job, now: number): JobStatus {
  const status: JobStatus = { ...job.status };
  if (job.spec.suspend) return status;
  const isResumed = status.conditions?.some(({ type, status: value }) => type === 'Suspended' && value === 'True');
  if (!status.startTime || isResumed) status.startTime = timestamp(now);
  return status;
}

/** First of two writes: which pods are to be counted, and what the Job will come to. */
export function announcedStatus(
  job: Job,
  state: JobState,
  { change, ending, now }: { change: PodChange; ending: Ending | undefined; now: number },
): JobStatus {
  const listed = job.status?.uncountedTerminatedPods ?? {};
  const condition = ending ? { ...saying(ending), type: targetCondition(ending) } : suspension(job);
  return {
    ...job.status,
    active: change.active,
    ready: change.ready,
    terminating: change.terminating,
    uncountedTerminatedPods: {
      succeeded: [...(listed.succeeded ?? []), ...uids(state.ended.succeeded)],
      failed: [...(listed.failed ?? []), ...uids(state.ended.failed)],
    },
    conditions: withCondition(job.status?.conditions ?? [], condition, timestamp(now)),
  };
}

/** Second, when the finalizers are gone: what was listed is counted, and what is to end does so once nothing runs. */
export function countedStatus(
  job: Job,
  { ending, isQuiet, now }: { ending: Ending | undefined; isQuiet: boolean; now: number },
): JobStatus {
  const { uncountedTerminatedPods: listed, ...rest } = job.status ?? {};
  const status: JobStatus = {
    ...rest,
    succeeded: (rest.succeeded ?? 0) + (listed?.succeeded?.length ?? 0),
    failed: (rest.failed ?? 0) + (listed?.failed?.length ?? 0),
    uncountedTerminatedPods: {},
  };
  if (!ending || !isQuiet) return status;
  const at = timestamp(now);
  return {
    ...status,
    startTime: status.startTime ?? at,
    conditions: withCondition(rest.conditions ?? [], { ...saying(ending), type: ending.outcome }, at),
    ...(ending.outcome === 'Complete' && { completionTime: at }),
  };
}

export function isListed(job: Job, pod: Pod): boolean {
  const { succeeded = [], failed = [] } = job.status?.uncountedTerminatedPods ?? {};
  return [...succeeded, ...failed].includes(pod.metadata.uid ?? '');
}

/** Zeros and empty lists say nothing: the server may leave them out. */
export function saysTheSame(one: JobStatus | undefined, other: JobStatus | undefined): boolean {
  return stableJson(compact(one)) === stableJson(compact(other));
}

function compact(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const kept = Object.entries(value)
    .map(([key, inner]) => [key, compact(inner)] as const)
    .filter(([, inner]) => inner !== undefined && inner !== 0 && !isEmpty(inner));
  return Object.fromEntries(kept);
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

function uids(pods: Pod[]): string[] {
  return pods.map(({ metadata }) => metadata.uid ?? '');
}

function saying({ reason, message }: Ending): { status: 'True'; reason: string; message: string } {
  return { status: 'True', reason, message };
}

function suspension({ spec }: Job) {
  return spec.suspend
    ? { type: 'Suspended', status: 'True' as const, reason: 'JobSuspended', message: 'Job suspended' }
    : { type: 'Suspended', status: 'False' as const, reason: 'JobResumed', message: 'Job resumed' };
}
