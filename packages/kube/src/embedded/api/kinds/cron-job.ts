import type { KubeObject } from '../../../schema/object.ts';
import { CRON_JOB } from '../../../schema/resources.ts';
import { parseCronSchedule } from '../../cron-schedule.ts';
import { type FieldError, required, unsupported, wrong } from '../errors.ts';
import type { Kind } from '../kind.ts';
import { ageOf } from '../table.ts';
import { dnsSubdomain } from '../validation/names.ts';
import { choice, negative } from '../validation/values.ts';
import { at, defineKind, integer, orNone, text } from './define.ts';
import { validateJobSpec } from './job-rules.ts';
import { fill, list } from './pod-defaults.ts';
import { containersText, defaultTemplate, imagesText, selectorText } from './workload.ts';

type Fields = Record<string, unknown>;

/** A run's name is the CronJob's with the minute appended, and a Job's name is a label. */
const LONGEST_NAME = 52;
const LIMITS = ['startingDeadlineSeconds', 'successfulJobsHistoryLimit', 'failedJobsHistoryLimit'];
const template = ['spec', 'jobTemplate', 'spec', 'template', 'spec', 'containers'];

export const cronJob: Kind = defineKind(CRON_JOB, {
  schema: 'io.k8s.api.batch.v1.CronJob',
  zero: {
    spec: { jobTemplate: { metadata: {}, spec: { template: { metadata: {}, spec: { containers: [] } } } } },
    status: {},
  },
  status: true,
  generation: true,
  shortNames: ['cj'],
  categories: ['all'],
  columns: [
    text('Schedule', (object) => at(object, 'spec', 'schedule') ?? ''),
    text('Timezone', (object) => orNone(at(object, 'spec', 'timeZone'))),
    { name: 'Suspend', type: 'boolean', cell: (object) => (at(object, 'spec', 'suspend') ? 'True' : 'False') },
    integer('Active', (object) => list(at(object, 'status', 'active')).length),
    { name: 'Last Schedule', type: 'string', cell: lastScheduleText },
  ],
  wide: [
    text('Containers', (object) => containersText(at(object, ...template)), true),
    text('Images', (object) => imagesText(at(object, ...template)), true),
    text('Selector', () => selectorText(undefined), true),
  ],
  strategy: {
    name: (name) => [
      ...dnsSubdomain(name),
      ...(name.length > LONGEST_NAME ? [`must be no more than ${LONGEST_NAME} characters`] : []),
    ],
    defaults: (object) => {
      fill(specOf(object), {
        concurrencyPolicy: 'Allow',
        suspend: false,
        successfulJobsHistoryLimit: 3,
        failedJobsHistoryLimit: 1,
        jobTemplate: {},
      });
      const jobTemplate = specOf(object).jobTemplate as Fields;
      fill(jobTemplate, { metadata: {}, spec: {} });
      // The rest of a Job's defaults comes when it is made.
      defaultTemplate(jobTemplate as unknown as KubeObject);
    },
    prepareForCreate: (object) => {
      object.status = {};
    },
    validate: (object) => validateSpec(specOf(object)),
  },
});

function specOf(object: KubeObject): Fields {
  object.spec ??= {};
  return object.spec as Fields;
}

function lastScheduleText(object: KubeObject, now: number): string {
  const last = at(object, 'status', 'lastScheduleTime') as string | undefined;
  return last ? ageOf(last, now) : '<none>';
}

function validateSpec(spec: Fields): FieldError[] {
  const job = (spec.jobTemplate as Fields).spec as Fields;
  const field = 'spec.jobTemplate.spec';
  const errors = [
    ...validateSchedule(spec),
    ...LIMITS.flatMap((name) => negative(spec[name], `spec.${name}`)),
    ...choice(spec.concurrencyPolicy, ['Allow', 'Forbid', 'Replace'], 'spec.concurrencyPolicy'),
    ...validateJobSpec(job, field),
  ];
  if (job.selector) errors.push(wrong(`${field}.selector`, job.selector, '`selector` will be auto-generated'));
  if (job.manualSelector === true) errors.push(unsupported(`${field}.manualSelector`, true, ['nil', 'false']));
  return errors;
}

function validateSchedule(spec: Fields): FieldError[] {
  const { schedule, timeZone } = spec as { schedule?: string; timeZone?: string };
  const errors: FieldError[] = [];
  const problem = timeZone === undefined ? undefined : zoneProblem(timeZone);
  if (problem) errors.push(wrong('spec.timeZone', timeZone, problem));
  if (!schedule) return [required('spec.schedule'), ...errors];
  if (schedule.includes('TZ'))
    errors.push(wrong('spec.schedule', schedule, 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead'));
  else {
    const reason = reasonOf(() => parseCronSchedule(schedule));
    if (reason) errors.push(wrong('spec.schedule', schedule, reason));
  }
  return errors;
}

function zoneProblem(timeZone: string): string | undefined {
  if (timeZone === '') return 'timeZone must be nil or non-empty string';
  if (timeZone.toLowerCase() === 'local')
    return 'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones';
  return reasonOf(() => new Intl.DateTimeFormat('en', { timeZone })) && `unknown time zone ${timeZone}`;
}

function reasonOf(attempt: () => unknown): string | undefined {
  try {
    attempt();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
