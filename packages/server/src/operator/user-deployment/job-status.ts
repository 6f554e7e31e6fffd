import { isScheduled, type Job } from '@berth/core/job';
import type { JobStatus } from '@berth/core/user-deployment';
import { runFor, runState, scheduleFor } from './job-run.ts';
import { podProblem } from './pod-problem.ts';
import type { Outcome } from './service-state.ts';
import { objectionFor, refusalText } from './service-state.ts';
import { jobFailure, podOfRun } from './update-failure.ts';

/** One job in plain words. */
export function jobStatus(outcome: Outcome, job: Job): JobStatus {
  const { state, message } = isScheduled(job) ? scheduled(outcome, job) : once(outcome, job);
  const lastRunAt = lastRun(outcome, job);
  return {
    name: job.name,
    state,
    ...(message !== undefined && { message: message.slice(0, 4096) }),
    ...(lastRunAt !== undefined && { lastRunAt }),
  };
}

type Finding = Pick<JobStatus, 'state' | 'message'>;

function once(outcome: Outcome, job: Job): Finding {
  const { situation } = outcome;
  const state = runState(situation, job);
  if (state === 'Succeeded') return { state };
  if (state === 'Failed') return { state, message: failedMessage(outcome, job) };
  if (state === 'Running') return { state, ...problemOf(outcome, job) };
  return situation.spec?.desired === 'stopped' ? { state: 'Stopped' } : waiting(outcome, job);
}

/** With the last lines of its log, which were read when it failed. */
function failedMessage({ situation, jobLines }: Outcome, job: Job): string {
  const { message } = jobFailure(situation, job);
  const before = situation.userDeployment.status?.jobs?.find(({ name }) => name === job.name);
  if (before?.state === 'Failed' && before.message?.startsWith(message)) return before.message;
  const lines = jobLines?.get(job.name) ?? [];
  return lines.length > 0 ? `${message} Its last lines:\n${lines.join('\n')}` : message;
}

function problemOf({ situation }: Outcome, job: Job): { message?: string } {
  const pod = podOfRun(situation, job);
  const problem = pod && podProblem(pod, situation.warnings.get(pod.metadata.name) ?? [], situation.now);
  return problem ? { message: problem.message } : {};
}

function scheduled(outcome: Outcome, job: Job): Finding {
  const { situation } = outcome;
  if (situation.spec?.desired === 'stopped') return { state: 'Stopped' };
  const schedule = scheduleFor(situation, job);
  if (!schedule) return waiting(outcome, job);
  return { state: schedule.status?.active?.length ? 'Running' : 'Scheduled' };
}

function waiting({ decision, refusals }: Outcome, job: Job): Finding {
  const refusal = refusals.find(({ service }) => service === job.name || service === undefined);
  if (refusal) return { state: 'Waiting', message: refusalText(refusal) };
  const objection = objectionFor(decision, job.name);
  return { state: 'Waiting', ...(objection && { message: objection.message }) };
}

function lastRun({ situation }: Outcome, job: Job): string | undefined {
  const at = isScheduled(job)
    ? scheduleFor(situation, job)?.status?.lastScheduleTime
    : runFor(situation, job)?.status?.startTime;
  // Its Job may have been cleaned up since.
  return at ?? situation.userDeployment.status?.jobs?.find(({ name }) => name === job.name)?.lastRunAt;
}
