import { controllerReference } from '../../../client/owner.ts';
import { type CronJob, type Job, type JobOutcome, jobOutcome } from '../../../schema/kinds/batch.ts';
import { DEFAULT_TIME_ZONE } from '../../cron-schedule.ts';

const SCHEDULED_AT = 'batch.kubernetes.io/cronjob-scheduled-timestamp';

/** The run of this time. Its name says which minute: making it a second time finds the first. */
export function runOf(cronJob: CronJob, time: number): Job {
  const { name, namespace } = cronJob.metadata;
  const { metadata, spec } = cronJob.spec.jobTemplate;
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name: `${name}-${Math.floor(time / 60_000)}`,
      ...(namespace ? { namespace } : {}),
      ...(metadata?.labels ? { labels: metadata.labels } : {}),
      annotations: { ...metadata?.annotations, [SCHEDULED_AT]: localTime(time, cronJob.spec.timeZone) },
      ownerReferences: [controllerReference(cronJob)],
    },
    spec,
  };
}

/** RFC 3339 with the zone's own offset, as people who wrote the schedule think of it. */
function localTime(time: number, timeZone = DEFAULT_TIME_ZONE): string {
  const options = { timeZone, timeZoneName: 'longOffset', hourCycle: 'h23' } as const;
  const digits = { year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit' } as const;
  const format = new Intl.DateTimeFormat('en-US', { ...options, ...digits, second: '2-digit' });
  const part = Object.fromEntries(format.formatToParts(time).map(({ type, value }) => [type, value]));
  const offset = part.timeZoneName?.replace(/^GMT(\+00:00)?/, '') || 'Z';
  return `${part.year}-${part.month}-${part.day}T${part.hour}:${part.minute}:${part.second}${offset}`;
}

export function activeReference({ metadata }: Job) {
  const { name, namespace, uid } = metadata;
  return { apiVersion: 'batch/v1', kind: 'Job', name, ...(namespace ? { namespace } : {}), ...(uid ? { uid } : {}) };
}

/** Which runs are under way, and when one succeeded last. One that somebody made by hand is not under way by schedule. */
export function statusOfRuns(cronJob: CronJob, runs: Job[]): NonNullable<CronJob['status']> {
  const running = new Set(runs.filter((job) => !jobOutcome(job)).map(({ metadata }) => metadata.uid));
  const active = (cronJob.status?.active ?? []).filter(({ uid }) => running.has(uid));
  const successes = [cronJob.status?.lastSuccessfulTime, ...runs.map(({ status }) => status?.completionTime)];
  const lastSuccessfulTime = successes
    .filter((time) => time !== undefined)
    .sort()
    .at(-1);
  return { ...cronJob.status, active, ...(lastSuccessfulTime && { lastSuccessfulTime }) };
}

/** Finished runs beyond the limits, the oldest. */
export function historyToDelete({ spec }: CronJob, runs: Job[]): Job[] {
  const beyond = (outcome: JobOutcome, limit: number | undefined) =>
    limit === undefined
      ? []
      : runs
          .filter((job) => jobOutcome(job) === outcome && !job.metadata.deletionTimestamp)
          .sort((one, other) => startOf(other) - startOf(one))
          .slice(limit);
  return [...beyond('Complete', spec.successfulJobsHistoryLimit), ...beyond('Failed', spec.failedJobsHistoryLimit)];
}

function startOf({ status, metadata }: Job): number {
  return Date.parse(status?.startTime ?? metadata.creationTimestamp ?? '');
}
