import type { ObjectAddress } from '../../../client/client.ts';
import { type Controller, createController, type ReconcileOutcome } from '../../../client/controller.ts';
import { controllerOf, isControlledBy, toController } from '../../../client/owner.ts';
import { type CronJob, type Job, jobOutcome } from '../../../schema/kinds/batch.ts';
import { objectKey, splitKey } from '../../../schema/object.ts';
import { CRON_JOB, JOB } from '../../../schema/resources.ts';
import { isKubeError } from '../../../schema/status.ts';
import { type CronSchedule, dueRun, parseCronSchedule } from '../../cron-schedule.ts';
import { addressOf, type ControllerContext, timestamp } from '../controller-context.ts';
import { stableJson } from '../stable-hash.ts';
import { activeReference, historyToDelete, runOf, statusOfRuns } from './cron-job-runs.ts';

/** Longer than a timer can wait; looked at again then. */
const LONGEST_WAIT_MS = 24 * 60 * 60_000;

/**
 * Makes a Job at each time of a CronJob's schedule. The run's name comes of its time, so that a time has one run however often it
 * is looked at; of times that were missed, the latest is made up for unless its starting deadline has passed.
 *
 * CronJob and runs are asked of the server rather than of a cache: a decision on an old list would let two run at once.
 */
export function createCronJobController(context: ControllerContext): Controller {
  const { client, clock, caches, events } = context;

  async function reconcile(key: string): Promise<ReconcileOutcome> {
    const { namespace = '', name } = splitKey(key);
    const stored = await getIfPresent<CronJob>(() => client.get(CRON_JOB, { namespace, name }));
    if (!stored) return;
    const runs = (await client.list<Job>(JOB, { namespace })).items.filter((job) => isControlledBy(job, stored));
    const cronJob = { ...stored, status: statusOfRuns(stored, runs) };
    if (stored.metadata.deletionTimestamp) return void (await writeStatus(stored, cronJob.status));
    for (const job of historyToDelete(stored, runs)) await deleteRun(job, 'Background');
    const schedule = scheduleOf(cronJob);
    const started = schedule && !cronJob.spec.suspend ? await startDue(cronJob, schedule, runs) : undefined;
    await writeStatus(stored, started ?? cronJob.status);
    if (!schedule || cronJob.spec.suspend) return;
    const next = schedule.next(clock.now());
    if (next !== undefined) return { requeueAfterMs: Math.min(next - clock.now() + 100, LONGEST_WAIT_MS) };
  }

  function scheduleOf(cronJob: CronJob): CronSchedule | undefined {
    try {
      return parseCronSchedule(cronJob.spec.schedule, cronJob.spec.timeZone);
    } catch (error) {
      // It was valid when it was written: the zones that this machine knows are others now.
      const message = `unparseable schedule: ${JSON.stringify(cronJob.spec.schedule)} : ${(error as Error).message}`;
      events.record(cronJob, { type: 'Warning', reason: 'UnparseableSchedule', message });
      return undefined;
    }
  }

  /** The status with the run that was started; undefined when none was. */
  async function startDue(cronJob: CronJob, schedule: CronSchedule, runs: Job[]): Promise<CronJob['status']> {
    const due = dueTime(cronJob, schedule);
    if (due === undefined) return undefined;
    const active = runs.filter((job) => !jobOutcome(job));
    if (cronJob.spec.concurrencyPolicy === 'Forbid' && active.length > 0) {
      const message = 'Not starting job because prior execution is running and concurrency policy is Forbid';
      events.record(cronJob, { type: 'Normal', reason: 'JobAlreadyActive', message });
      return undefined;
    }
    // Its own earlier runs, not one that somebody made by hand.
    const known = new Set(cronJob.status?.active?.map(({ uid }) => uid));
    const isReplace = cronJob.spec.concurrencyPolicy === 'Replace';
    const replaced = isReplace ? active.filter(({ metadata }) => known.has(metadata.uid)) : [];
    const wanted = runOf(cronJob, due);
    for (const job of replaced) if (job.metadata.name !== wanted.metadata.name) await deleteRun(job, 'Background');
    const run = await create(cronJob, wanted);
    if (!isControlledBy(run, cronJob)) return undefined;
    const gone = replaced.map(({ metadata }) => metadata.uid);
    const others = (cronJob.status?.active ?? []).filter(({ uid }) => uid !== run.metadata.uid && !gone.includes(uid));
    const listed = jobOutcome(run) ? others : [...others, activeReference(run)];
    return { ...cronJob.status, active: listed, lastScheduleTime: timestamp(due) };
  }

  function dueTime(cronJob: CronJob, schedule: CronSchedule): number | undefined {
    const { startingDeadlineSeconds } = cronJob.spec;
    const now = clock.now();
    const known = Date.parse(cronJob.status?.lastScheduleTime ?? cronJob.metadata.creationTimestamp ?? '');
    const since = startingDeadlineSeconds === undefined ? known : Math.max(known, now - startingDeadlineSeconds * 1000);
    const { at, missed } = dueRun(schedule, since, now);
    if (missed === 'many') {
      const message = 'too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew';
      events.record(cronJob, { type: 'Warning', reason: 'TooManyMissedTimes', message });
    }
    return at;
  }

  async function create(cronJob: CronJob, job: Job): Promise<Job> {
    try {
      const made = await client.create<Job>(JOB, job);
      const message = `Created job ${made.metadata.name}`;
      events.record(cronJob, { type: 'Normal', reason: 'SuccessfulCreate', message });
      return made;
    } catch (error) {
      // Made before, by us if it is ours; its time is only not written down yet.
      if (isKubeError(error, 'AlreadyExists')) return client.get<Job>(JOB, addressOf(job));
      const message = `Error creating job: ${error instanceof Error ? error.message : String(error)}`;
      events.record(cronJob, { type: 'Warning', reason: 'FailedCreate', message });
      throw error;
    }
  }

  async function deleteRun(job: Job, propagationPolicy: 'Background'): Promise<void> {
    const { uid } = job.metadata;
    await getIfPresent(() =>
      client.delete(JOB, addressOf(job) as ObjectAddress, {
        propagationPolicy,
        ...(uid ? { preconditions: { uid } } : {}),
      }),
    );
  }

  async function writeStatus(stored: CronJob, status: CronJob['status']): Promise<void> {
    if (stableJson(shown(stored.status)) === stableJson(shown(status))) return;
    await client.replace<CronJob>(CRON_JOB, { ...stored, ...(status && { status }) }, { subresource: 'status' });
  }

  return createController({ ...context, name: 'cronjob', reconcile, concurrency: 2 })
    .watches(caches.of<CronJob>(CRON_JOB), (cronJob) => [objectKey(cronJob)])
    .watches(caches.of<Job>(JOB), (job) => (controllerOf(job) ? toController(CRON_JOB)(job) : []));
}

async function getIfPresent<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (isKubeError(error, 'NotFound')) return undefined;
    throw error;
  }
}

/** No active run and an empty list say the same. */
function shown(status: CronJob['status']): unknown {
  const { active = [], ...rest } = status ?? {};
  return { ...rest, active };
}
