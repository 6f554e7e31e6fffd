import { z } from 'zod';
import { scheduleProblem } from './cron.ts';
import { nameSchema } from './names.ts';
import { containerShape, refuseTwice } from './service.ts';

const scheduleSchema = z
  .string()
  .max(100)
  .superRefine((schedule, context) => {
    const problem = scheduleProblem(schedule);
    if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
  });

/**
 * A container that runs to its end. Without a schedule it runs once before the services that name it in `dependsOn`, and again
 * whenever it changes (a migration); with one it runs at those times while the deployment runs. Becomes a Job or a CronJob.
 */
export const jobSchema = z
  .strictObject({
    ...containerShape,
    dependsOn: z
      .array(nameSchema)
      .max(20)
      .optional()
      .describe('Services that must be ready, and jobs that must have succeeded, before this one runs.'),
    schedule: scheduleSchema
      .optional()
      .describe('When it runs, as in cron; before the services that depend on it when absent.'),
    timeZone: z.string().max(64).optional().describe('Such as Europe/Berlin; UTC when absent.'),
    timeoutSeconds: z
      .int()
      .min(1)
      .max(86_400)
      .optional()
      .describe('A run that takes longer is ended; 600 when absent.'),
    retries: z.int().min(0).max(10).optional().describe('How often a run that fails is tried again; 2 when absent.'),
  })
  .superRefine((job, context) => {
    refuseTwice(job, context, [
      ['env', 'name'],
      ['files', 'path'],
    ]);
    if (job.timeZone !== undefined && !isTimeZone(job.timeZone)) {
      context.addIssue({ code: 'custom', path: ['timeZone'], message: `"${job.timeZone}" is no time zone` });
    }
  });
export type Job = z.infer<typeof jobSchema>;

export const JOB_TIMEOUT_SECONDS = 600;
export const JOB_RETRIES = 2;

export function isScheduled(job: Pick<Job, 'schedule'>): boolean {
  return job.schedule !== undefined;
}

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
