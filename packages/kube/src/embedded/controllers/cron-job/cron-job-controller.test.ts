import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../client/clock.ts';
import type { Controller } from '../../../client/controller.ts';
import { createSilentLogger } from '../../../client/testing/silent-logger.ts';
import type { CronJob, Job } from '../../../schema/kinds/batch.ts';
import { CRON_JOB, JOB } from '../../../schema/resources.ts';
import { type Caches, createCaches } from '../../caches.ts';
import { type EmbeddedScene, startEmbeddedScene } from '../../testing/embedded-scene.ts';
import { eventually } from '../../testing/test-cluster.ts';
import { createCronJobController } from './cron-job-controller.ts';

let scene: EmbeddedScene;
let caches: Caches;
let controller: Controller;
let told: string[] = [];
/** What the controller takes the time to be: a while after the server's. */
let ahead = 0;
const clock = { ...systemClock, now: () => Date.now() + ahead };

beforeAll(async () => {
  scene = await startEmbeddedScene();
  const logger = createSilentLogger([]);
  caches = createCaches({ client: scene.client, logger, clock });
  const events = { record: (_about: unknown, { reason }: { reason: string }) => void told.push(reason) };
  controller = createCronJobController({ client: scene.client, caches, logger, clock, newId: randomUUID, events });
  await controller.start();
});
afterAll(async () => {
  await controller.stop();
  await caches.stop();
  await scene.end();
});
beforeEach(() => {
  told = [];
  ahead = 0;
});

const HOUR = 60 * 60_000;
const template = { spec: { restartPolicy: 'Never' as const, containers: [{ name: 'main', image: 'x' }] } };

function cronJob(name: string, spec: Partial<CronJob['spec']> = {}): CronJob {
  return {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { name, namespace: scene.namespace },
    spec: { schedule: '@hourly', jobTemplate: { spec: { template } }, ...spec },
  };
}

const runsOf = async (name: string): Promise<Job[]> =>
  (await scene.client.list<Job>(JOB, { namespace: scene.namespace })).items.filter((job) =>
    job.metadata.name.startsWith(`${name}-`),
  );

async function later(name: string, milliseconds: number): Promise<void> {
  ahead += milliseconds;
  controller.enqueue(`${scene.namespace}/${name}`);
}

async function finish(job: Job, type: 'Complete' | 'Failed' = 'Complete'): Promise<void> {
  const at = new Date(clock.now()).toISOString();
  const target = type === 'Complete' ? 'SuccessCriteriaMet' : 'FailureTarget';
  const conditions = [target, type].map((each) => ({ type: each, status: 'True' as const, lastTransitionTime: at }));
  const status = { startTime: at, conditions, ...(type === 'Complete' && { completionTime: at }) };
  await scene.client.replace<Job>(JOB, { ...job, status }, { subresource: 'status' });
}

const count = (name: string, wanted: number) =>
  eventually(async () => {
    const runs = await runsOf(name);
    expect(runs).toHaveLength(wanted);
    return runs;
  });

const statusOf = async (name: string) =>
  (await scene.client.get<CronJob>(CRON_JOB, { namespace: scene.namespace, name })).status;

describe('a CronJob', () => {
  it('starts one run when its time comes, named by the minute, however often it is looked at', async () => {
    await scene.client.create(CRON_JOB, cronJob('plain'));
    await later('plain', 0);
    await later('plain', HOUR);
    const [run] = await count('plain', 1);
    const hour = Math.floor(clock.now() / HOUR) * HOUR;
    expect(run?.metadata.name).toBe(`plain-${hour / 60_000}`);
    expect(run?.metadata.annotations?.['batch.kubernetes.io/cronjob-scheduled-timestamp']).toBe(
      new Date(hour).toISOString().replace('.000', ''),
    );
    await later('plain', 1000);
    await eventually(async () => {
      expect(await statusOf('plain')).toMatchObject({ active: [{ name: run?.metadata.name }] });
    });
    await count('plain', 1);
    await finish(run!);
    await eventually(async () => {
      const status = await statusOf('plain');
      expect([status?.active ?? [], typeof status?.lastSuccessfulTime]).toEqual([[], 'string']);
    });
  });

  it('makes up for the latest of the runs that were missed, unless it is too late', async () => {
    await scene.client.create(CRON_JOB, cronJob('missed'));
    await scene.client.create(CRON_JOB, cronJob('too-late', { schedule: '59 23 * * *', startingDeadlineSeconds: 5 }));
    await later('missed', 200 * HOUR);
    await later('too-late', 0);
    await count('missed', 1);
    await eventually(async () => expect(told).toContain('TooManyMissedTimes'));
    expect(await runsOf('too-late')).toEqual([]);
  });

  it('that forbids two at a time waits for the first', async () => {
    await scene.client.create(CRON_JOB, cronJob('forbid', { concurrencyPolicy: 'Forbid' }));
    await later('forbid', HOUR);
    const [first] = await count('forbid', 1);
    await later('forbid', HOUR);
    await eventually(async () => expect(told).toContain('JobAlreadyActive'));
    expect(await runsOf('forbid')).toHaveLength(1);
    await finish(first!);
    await count('forbid', 2);
  });

  it('that replaces ends the run before', async () => {
    await scene.client.create(CRON_JOB, cronJob('replace', { concurrencyPolicy: 'Replace' }));
    await later('replace', HOUR);
    const [first] = await count('replace', 1);
    await eventually(async () => expect((await statusOf('replace'))?.active).toHaveLength(1));
    await later('replace', HOUR);
    await eventually(async () => {
      const runs = await runsOf('replace');
      expect(runs.map(({ metadata }) => metadata.uid)).not.toContain(first?.metadata.uid);
      expect(runs).toHaveLength(1);
    });
  });

  it('keeps as many finished runs as it should', async () => {
    await scene.client.create(
      CRON_JOB,
      cronJob('history', { successfulJobsHistoryLimit: 1, failedJobsHistoryLimit: 1 }),
    );
    const ended: string[] = [];
    for (const type of ['Complete', 'Failed', 'Complete', 'Failed'] as const) {
      await later('history', HOUR);
      const run = await eventually(async () => {
        const found = (await runsOf('history')).find(({ metadata }) => !ended.includes(metadata.uid!));
        expect(found).toBeDefined();
        return found!;
      });
      ended.push(run.metadata.uid!);
      await finish(run, type);
    }
    await eventually(async () => {
      expect((await runsOf('history')).map(({ metadata }) => metadata.uid).sort()).toEqual(ended.slice(2).sort());
    });
  });

  it('does nothing while it is suspended', async () => {
    await scene.client.create(CRON_JOB, cronJob('asleep', { suspend: true }));
    await scene.client.create(CRON_JOB, cronJob('awake'));
    ahead = 2 * HOUR;
    controller.enqueue(`${scene.namespace}/asleep`);
    controller.enqueue(`${scene.namespace}/awake`);
    await count('awake', 1);
    expect(await runsOf('asleep')).toEqual([]);
  });

  it.each([
    ['a schedule that is none', { schedule: 'often' }, /spec.schedule/],
    ['a zone that is none', { timeZone: 'Mars/Base' }, /unknown time zone/],
    ['a zone in the schedule', { schedule: 'TZ=UTC 0 0 * * *' }, /use timeZone field instead/],
  ])('with %s is refused', async (_what, spec, message) => {
    await expect(scene.client.create(CRON_JOB, cronJob('bad', spec))).rejects.toThrow(message);
  });
});
