import { isScheduled, JOB_RETRIES, JOB_TIMEOUT_SECONDS, type Job } from '@berth/core/job';
import { jobRunName, scheduledJobName } from '@berth/core/names';
import { ANNOTATIONS } from '@berth/core/user-deployment';
import { CRON_JOB, JOB } from '@berth/kube/schema/resources';
import { sha256 } from '../../sha256.ts';
import { type Child, childLabels, makeChild, type Owner } from './child.ts';
import { podTemplateOf, type TemplateInput } from './pod-template.ts';

const RUNS_KEPT = 3;

type JobInput = Pick<TemplateInput, 'spec' | 'options'>;

/**
 * One run of a job: its name says what it runs, so a job that has changed is another Job, and one that has not is never made
 * twice. Values of secrets are no part of that: a new password is no reason to migrate again.
 */
export function jobOf(owner: Owner, job: Job, { specHash, ...input }: JobInput & { specHash: string }): Child {
  return makeChild(owner, JOB, {
    name: runNameOf(owner.name, job),
    service: job.name,
    annotations: { [ANNOTATIONS.specHash]: specHash },
    body: { spec: runSpecOf(owner, job, input) },
  });
}

export function runNameOf(deployment: string, job: Job): string {
  const { dependsOn: _order, ...runs } = job;
  return jobRunName(deployment, job.name, sha256(JSON.stringify(runs)));
}

/** Runs by its schedule, one at a time, while the deployment is meant to run. */
export function cronJobOf(owner: Owner, job: Job, input: JobInput): Child | undefined {
  if (!isScheduled(job)) return undefined;
  return makeChild(owner, CRON_JOB, {
    name: scheduledJobName(owner.name, job.name),
    service: job.name,
    body: {
      spec: {
        schedule: job.schedule,
        timeZone: job.timeZone ?? 'Etc/UTC',
        concurrencyPolicy: 'Forbid',
        successfulJobsHistoryLimit: RUNS_KEPT,
        failedJobsHistoryLimit: RUNS_KEPT,
        suspend: input.spec.desired === 'stopped',
        jobTemplate: { metadata: { labels: childLabels(owner, job.name) }, spec: runSpecOf(owner, job, input) },
      },
    },
  });
}

function runSpecOf(owner: Owner, job: Job, input: JobInput): Record<string, unknown> {
  return {
    backoffLimit: job.retries ?? JOB_RETRIES,
    activeDeadlineSeconds: job.timeoutSeconds ?? JOB_TIMEOUT_SECONDS,
    template: podTemplateOf(owner, job, { ...input, restartPolicy: 'Never' }),
  };
}
