import type { UserDeploymentSpec } from '@berth/core/user-deployment';
import type { KubeObject } from '@berth/kube/schema/object';
import { CRON_JOB, JOB } from '@berth/kube/schema/resources';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { service, spec } from '../testing/fixtures.ts';
import {
  type OperatorScene,
  type RunningOperator,
  type Subject,
  startOperatorScene,
} from '../testing/operator-scene.ts';
import { until } from '../testing/until.ts';
import { type UpdatingSubject, updatingSubject } from '../testing/updating-subject.ts';
import { writesOfLooks } from '../testing/writes-of-looks.ts';

let scene: OperatorScene;
let operator: RunningOperator;
beforeAll(async () => {
  scene = await startOperatorScene();
});
afterEach(async () => {
  const errors = operator.logs.filter(({ level }) => level === 'error');
  await operator.stop();
  expect(errors).toEqual([]);
});
afterAll(() => scene.end());

async function newSubject(): Promise<UpdatingSubject> {
  operator = await scene.startOperator();
  return updatingSubject(scene.client, { name: 'shop', namespace: await scene.newNamespace() });
}

describe('jobs', () => {
  const migrated = (args: string, image = 'a'): UserDeploymentSpec =>
    spec({
      services: [service({ image, dependsOn: ['migrate'] })],
      jobs: [{ name: 'migrate', image: 'm', args: [args] }],
    });
  const jobs = async (subject: Subject) => (await scene.client.list(JOB, { namespace: subject.namespace })).items;

  async function start(): Promise<UpdatingSubject> {
    const subject = await newSubject();
    await subject.create(migrated('1'));
    await subject.admit();
    await until('the run', async () => (await jobs(subject)).length === 1);
    return subject;
  }

  it('run before what depends on them, and never again while they are the same', async () => {
    const subject = await start();
    await until('the wait', async () => (await subject.read())?.status?.jobs?.[0]?.state === 'Running');
    expect(await subject.children()).not.toContain('Deployment/shop-web');
    await subject.pods.endJob('migrate', 'Complete');
    await subject.hasImage('a');
    await subject.runPods();
    await subject.reaches('complete', 1);
    expect(await writesOfLooks(scene.client, operator, subject)).toEqual([]);
    // Cleaned up by somebody: it has had its run all the same.
    const at = { name: (await jobs(subject))[0]!.metadata.name, namespace: subject.namespace };
    await scene.client.delete(JOB, at, { propagationPolicy: 'Background' });
    await subject.edit(() => migrated('1', 'b'));
    await subject.hasImage('b');
    expect(await jobs(subject)).toEqual([]);
    expect((await subject.read())?.status?.jobs).toMatchObject([{ name: 'migrate', state: 'Succeeded' }]);
  });

  it('that fail at the first start are said to, and run again for another version', async () => {
    const subject = await start();
    const [first] = await jobs(subject);
    await subject.pods.endJob('migrate', 'Failed');
    await until('Failing', async () => (await subject.read())?.status?.phase === 'Failing');
    expect((await subject.read())?.status).toMatchObject({
      jobs: [{ state: 'Failed', message: 'The job migrate failed.' }],
      services: [{ state: 'Waiting', message: 'web waits for migrate, which failed' }],
    });
    await subject.edit((before) => ({ ...before, restartedAt: 'now' }));
    await until('another run', async () => {
      const [run] = await jobs(subject);
      return run && run.metadata.uid !== first?.metadata.uid;
    });
  });

  it('of a schedule wait while the deployment is stopped', async () => {
    const subject = await newSubject();
    await subject.create(spec({ jobs: [{ name: 'report', image: 'r', schedule: '@daily' }] }));
    await subject.admit();
    const suspended = async () =>
      (await subject.get<KubeObject & { spec: { suspend: boolean } }>(CRON_JOB, 'shop-report'))?.spec.suspend;
    await until('the schedule', async () => (await suspended()) === false);
    await until('its state', async () => (await subject.read())?.status?.jobs?.[0]?.state === 'Scheduled');
    await subject.edit((before) => ({ ...before, desired: 'stopped' }));
    await until('the stop', async () => (await suspended()) === true);
    await until('its state', async () => (await subject.read())?.status?.jobs?.[0]?.state === 'Stopped');
  });
});
