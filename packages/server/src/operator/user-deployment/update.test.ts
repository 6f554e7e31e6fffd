import { findCondition } from '@berth/core/conditions';
import type { UpdateStatus, UserDeploymentSpec } from '@berth/core/user-deployment';
import type { KubeObject } from '@berth/kube/schema/object';
import { CONFIG_MAP, CONTROLLER_REVISION, CRON_JOB, DEPLOYMENT, INGRESS, JOB } from '@berth/kube/schema/resources';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ExternalSecret } from '../../kubernetes/external-secret.ts';
import { EXTERNAL_SECRET, USER_DEPLOYMENT } from '../../kubernetes/resource-types.ts';
import type { Deployment } from '../kinds.ts';
import { database, service, spec } from '../testing/fixtures.ts';
import { CRASHING, type MadeUpPods, madeUpPods } from '../testing/made-up-pods.ts';
import {
  type OperatorScene,
  type RunningOperator,
  type Subject,
  startOperatorScene,
  subjectOf,
} from '../testing/operator-scene.ts';
import { until } from '../testing/until.ts';

/** Updates, with pods that the test makes up; no controller and no node run. */
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

interface Updated extends Subject {
  pods: MadeUpPods;
}

const version = (image: string, parts: Partial<UserDeploymentSpec> = {}): UserDeploymentSpec =>
  spec({ services: [service({ image })], ...parts });

async function run(first: UserDeploymentSpec, hosts: string[] = []): Promise<Updated> {
  operator = await scene.startOperator();
  const subject = subjectOf(scene.client, { name: 'shop', namespace: await scene.newNamespace() });
  await subject.create(first);
  await subject.admit(hosts);
  await until('the first good version', async () => {
    await subject.runPods();
    return (await update(subject))?.state === 'complete';
  });
  return { ...subject, pods: madeUpPods(scene.client, subject) };
}

const update = async (subject: Subject) => (await subject.read())?.status?.update;
const reaches = (subject: Subject, state: UpdateStatus['state'], generation: number) =>
  until(`update ${state}`, async () => {
    const found = await update(subject);
    return found?.state === state && found.generation === generation && found;
  });
const deployment = (subject: Subject, of = 'web') => subject.get<Deployment>(DEPLOYMENT, `shop-${of}`);
const imageOf = async (subject: Subject, of = 'web') =>
  (await deployment(subject, of))?.spec.template?.spec?.containers?.[0]?.image;
const hasImage = (subject: Subject, image: string, of = 'web') =>
  until(`${image} of ${of}`, async () => (await imageOf(subject, of)) === image);
const condition = async (subject: Subject, type: string) =>
  findCondition((await subject.read())?.status?.conditions, type);

/** The update to this image is rolled out, and its pod crashes. */
async function failUpdate(subject: Updated, image: string, generation: number): Promise<UpdateStatus> {
  await subject.edit((before) => ({ ...before, services: [service({ image })] }));
  await hasImage(subject, image);
  await subject.pods.make('web', `pod-${generation}`, CRASHING);
  return reaches(subject, 'stopped', generation);
}

async function writesOf(act: () => Promise<unknown>): Promise<unknown[]> {
  await until('quiet', async () => {
    const count = operator.client.writes.length;
    await new Promise((resolve) => setTimeout(resolve, 300));
    return operator.client.writes.length === count;
  });
  const from = operator.client.writes.length;
  await act();
  return operator.client.writes.slice(from);
}

async function lookTwice(subject: Subject): Promise<void> {
  for (const touched of ['1', '2']) {
    const body = { metadata: { annotations: { touched } } };
    await scene.client.patch(USER_DEPLOYMENT, { name: 'shop', namespace: subject.namespace }, { type: 'merge', body });
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

describe('an update that fails', () => {
  it('is stopped, and the version before is built again; the resource says which revision serves', async () => {
    const subject = await run(version('a'));
    const annotations = { 'berth.dev/revision': '7' };
    const at = { name: 'shop', namespace: subject.namespace };
    await scene.client.patch(USER_DEPLOYMENT, at, { type: 'merge', body: { metadata: { annotations } } });
    await until('the record of it', async () => {
      const { items } = await scene.client.list(CONTROLLER_REVISION, { namespace: subject.namespace });
      return items[0]?.metadata.annotations?.['berth.dev/revision'] === '7';
    });
    const stopped = await failUpdate(subject, 'b', 2);
    expect(stopped).toMatchObject({ service: 'web', reason: 'CrashLoop', servingRevision: '7' });
    expect(stopped.message).toBe('web ended 3 times, the last time with exit code 1.');
    await hasImage(subject, 'a');
    await subject.runPods();
    await until('Running', async () => (await subject.read())?.status?.phase === 'Running');
    expect(await condition(subject, 'Updated')).toMatchObject({ status: 'False', reason: 'UpdateStopped' });
    expect(await condition(subject, 'Ready')).toMatchObject({ status: 'True', observedGeneration: 2 });
  });

  it('stays stopped over a new title, a pause, a stop and a start, and costs no write', async () => {
    const subject = await run(version('a'));
    await failUpdate(subject, 'b', 2);
    await hasImage(subject, 'a');
    await subject.runPods();
    expect(await writesOf(() => lookTwice(subject))).toEqual([]);
    await subject.edit((before) => ({ ...before, displayName: 'Shop', paused: true }));
    await reaches(subject, 'stopped', 3);
    await subject.edit((before) => ({ ...before, desired: 'stopped' }));
    await until('no replica', async () => (await deployment(subject))?.spec.replicas === 0);
    await subject.pods.remove('pod-2');
    await subject.runPods();
    await until('Stopped', async () => (await subject.read())?.status?.phase === 'Stopped');
    await subject.edit(({ paused: _resumed, ...before }) => ({ ...before, desired: 'running' }));
    await until('a replica', async () => (await deployment(subject))?.spec.replicas === 1);
    await subject.runPods();
    expect(await reaches(subject, 'stopped', 5)).toMatchObject({ message: expect.stringContaining('exit code 1') });
    expect(await imageOf(subject)).toBe('a');
  });

  it('is over when another version is wanted, be that one bad too or, at last, good', async () => {
    const subject = await run(version('a'));
    await failUpdate(subject, 'b', 2);
    expect(await failUpdate(subject, 'c', 3)).toMatchObject({ service: 'web' });
    await hasImage(subject, 'a');
    await subject.edit((before) => ({ ...before, services: [service({ image: 'd' })] }));
    await hasImage(subject, 'd');
    await subject.runPods();
    await reaches(subject, 'complete', 4);
    await until('one record', async () => {
      const { items } = await scene.client.list(CONTROLLER_REVISION, { namespace: subject.namespace });
      return items.length === 1 && JSON.stringify(items[0]?.data).includes('"image":"d"');
    });
  });

  it('is tried again by a restart, and forgotten by going back to what serves', async () => {
    const subject = await run(version('a'));
    await failUpdate(subject, 'b', 2);
    await subject.pods.remove('pod-2');
    await subject.edit((before) => ({ ...before, restartedAt: 'now' }));
    await hasImage(subject, 'b');
    await reaches(subject, 'progressing', 3);
    await subject.edit(() => version('a'));
    await hasImage(subject, 'a');
    await reaches(subject, 'complete', 4);
  });

  it('goes back though the spec has become one that cannot be run', async () => {
    const subject = await run(version('a'));
    await failUpdate(subject, 'b', 2);
    await subject.edit((before) => ({ ...before, services: [service({ image: 'c', dependsOn: ['nobody'] })] }));
    await until('the word', async () => (await condition(subject, 'Valid'))?.status === 'False');
    await hasImage(subject, 'a');
    await scene.client.delete(DEPLOYMENT, { name: 'shop-web', namespace: subject.namespace });
    await hasImage(subject, 'a');
  });

  it('comes to the same end when the operator dies after it has said so, or before', async () => {
    for (const more of [0, 1]) {
      const subject = await run(version('a'));
      await operator.stop();
      await subject.edit((before) => ({ ...before, services: [service({ image: 'b' })] }));
      operator = await scene.startOperator();
      await hasImage(subject, 'b');
      await reaches(subject, 'progressing', 2);
      await operator.stop();
      await subject.pods.make('web', 'pod', CRASHING);
      // The first write is the word that it is stopped; with `more` it is the last.
      if (more > 0) {
        const dying = await scene.startOperator({ diesAfter: 1 });
        await until('death', async () => dying.client.writes.length >= 1);
        expect(dying.client.writes).toMatchObject([{ kind: 'UserDeployment', subresource: 'status' }]);
        await dying.stop();
      }
      operator = await scene.startOperator();
      await reaches(subject, 'stopped', 2);
      await hasImage(subject, 'a');
      if (more === 0) await operator.stop();
    }
  });

  it('is one whose pods the cluster refuses for longer than a moment, or whose objects it does not take', async () => {
    const subject = await run(version('a'));
    await subject.edit((before) => ({ ...before, services: [service({ image: 'b' })] }));
    await hasImage(subject, 'b');
    const lastTransitionTime = '2026-01-01T00:00:00Z';
    const message = 'exceeded quota: berth-plan';
    const refused = { type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message, lastTransitionTime };
    await subject.pods.sayOfDeployment('web', { replicas: 1, readyReplicas: 1, conditions: [refused] });
    const stopped = await reaches(subject, 'stopped', 2);
    expect(stopped.message).toBe('Kubernetes refuses a pod of web: exceeded quota: berth-plan.');
    const resources = { requests: { cpu: '2' }, limits: { cpu: '1' } };
    await subject.edit((before) => ({ ...before, services: [service({ image: 'c', resources })] }));
    expect((await reaches(subject, 'stopped', 3)).message).toMatch(/^Kubernetes refuses Deployment shop-web: /);
    await hasImage(subject, 'a');
  });

  it('is no matter of a service that it does not touch', async () => {
    const other = service({ name: 'other', image: 'o' });
    const subject = await run(spec({ services: [service({ image: 'a' }), other] }));
    await subject.pods.make('other', 'ill', CRASHING);
    await subject.edit(() => spec({ services: [service({ image: 'b' }), other] }));
    await hasImage(subject, 'b');
    await subject.runPods();
    await reaches(subject, 'complete', 2);
  });

  it('of a first start is none: nothing is there to go back to', async () => {
    operator = await scene.startOperator();
    const subject = subjectOf(scene.client, { name: 'shop', namespace: await scene.newNamespace() });
    await subject.create(version('a'));
    await subject.admit();
    await hasImage(subject, 'a');
    await madeUpPods(scene.client, subject).make('web', 'pod', CRASHING);
    await until('Failing', async () => (await subject.read())?.status?.phase === 'Failing');
    expect(await update(subject)).toBeUndefined();
    expect(await condition(subject, 'Updated')).toBeUndefined();
  });
});

describe('a paused deployment', () => {
  it('keeps what runs while changes wait, and rolls them out when it is resumed', async () => {
    const subject = await run(version('a'));
    await subject.edit((before) => ({ ...before, paused: true }));
    expect(await reaches(subject, 'paused', 2)).not.toHaveProperty('servingRevision');
    expect(await condition(subject, 'Updated')).toMatchObject({ status: 'True' });
    await subject.edit(() => version('b', { paused: true }));
    await reaches(subject, 'paused', 3);
    expect(await condition(subject, 'Updated')).toMatchObject({ status: 'False', reason: 'Paused' });
    expect(await condition(subject, 'Ready')).toMatchObject({ status: 'True' });
    expect(await imageOf(subject)).toBe('a');
    await subject.edit(() => version('b'));
    await hasImage(subject, 'b');
    await subject.runPods();
    await reaches(subject, 'complete', 4);
  });

  it('stops and starts what runs', async () => {
    const subject = await run(version('a'));
    await subject.edit(() => version('b', { paused: true, desired: 'stopped' }));
    await until('no replica', async () => (await deployment(subject))?.spec.replicas === 0);
    await subject.edit(() => version('b', { paused: true }));
    await until('a replica', async () => (await deployment(subject))?.spec.replicas === 1);
    expect(await imageOf(subject)).toBe('a');
  });

  it('that has never run waits', async () => {
    operator = await scene.startOperator();
    const subject = subjectOf(scene.client, { name: 'shop', namespace: await scene.newNamespace() });
    await subject.create(version('a', { paused: true }));
    await subject.admit();
    await until('the word', async () => (await condition(subject, 'Ready'))?.reason === 'Paused');
    expect(await subject.children()).toEqual([]);
    await subject.edit(() => version('a'));
    await hasImage(subject, 'a');
  });
});

describe('while a version replaces another', () => {
  it('a service waits for what it depends on to be updated, and its old pods serve', async () => {
    const both = (image: string) =>
      spec({
        services: [service({ image, dependsOn: ['database'] }), service({ name: 'database', image })],
      });
    const subject = await run(both('a'));
    await subject.edit(() => both('b'));
    await hasImage(subject, 'b', 'database');
    await reaches(subject, 'progressing', 2);
    expect((await condition(subject, 'Updated'))?.message).toContain('web starts when database is ready');
    expect(await imageOf(subject)).toBe('a');
    await subject.runPods();
    await hasImage(subject, 'b');
  });

  it('a service with a volume is named as long as it is down', async () => {
    const kept = (image: string) => spec({ services: [database({ image, env: [] })] });
    const subject = await run(kept('a'));
    await subject.edit(() => kept('b'));
    await until('the name', async () => (await update(subject))?.replaces?.includes('database'));
    await subject.runPods();
    expect(await reaches(subject, 'complete', 2)).not.toHaveProperty('replaces');
  });

  it('a service that is no longer wanted, and the address that leads to it, stay until the new one is good', async () => {
    const at = (name: string) =>
      spec({ services: [service({ name })], exposure: [{ host: 'a.localhost', service: name, port: 'http' }] });
    const subject = await run(at('web'), ['a.localhost']);
    await subject.edit(() => at('frontend'));
    await until('the new service', async () => (await subject.children()).includes('Deployment/shop-frontend'));
    await until('the reason', async () => (await condition(subject, 'Routed'))?.reason === 'TargetNotReady');
    expect(await subject.children()).toContain('Deployment/shop-web');
    expect(JSON.stringify((await subject.get(INGRESS, 'shop'))?.spec)).toContain('shop-web');
    await subject.runPods();
    await until('the route', async () =>
      JSON.stringify((await subject.get(INGRESS, 'shop'))?.spec).includes('shop-frontend'),
    );
    await until('the end of the old', async () => !(await subject.children()).includes('Deployment/shop-web'));
  });

  it('the files of the old pods stay until the last of them is gone', async () => {
    const files = (content: string) => spec({ services: [service({ files: [{ path: '/etc/a', content }] })] });
    const subject = await run(files('one'));
    await subject.pods.make('web', 'old', { phase: 'Running' });
    const contents = async () => {
      const { items } = await scene.client.list(CONFIG_MAP, { namespace: subject.namespace });
      return items.flatMap(({ data }) => Object.values((data ?? {}) as Record<string, string>)).sort();
    };
    await subject.edit(() => files('two'));
    await until('both', async () => (await contents()).join() === 'one,two');
    await subject.runPods();
    await reaches(subject, 'complete', 2);
    expect(await contents()).toEqual(['one', 'two']);
    await subject.pods.remove('old');
    await until('the new ones', async () => (await contents()).join() === 'two');
  });

  it('the keys that old pods use stay in their Secret, and going back asks for no old value', async () => {
    const secrets = (key: string, secretVersion: string) =>
      spec({
        services: [service({ image: key, env: [{ name: 'A', secretKey: key }] })],
        secretKeys: [key],
        secretVersion,
      });
    operator = await scene.startOperator();
    const plain = subjectOf(scene.client, { name: 'shop', namespace: await scene.newNamespace() });
    await plain.create(secrets('old', '1'));
    await plain.admit();
    await plain.deliver('web', '1', { old: 'x' });
    await hasImage(plain, 'old');
    await plain.runPods();
    await reaches(plain, 'complete', 1);
    const subject = { ...plain, pods: madeUpPods(scene.client, plain) };
    await subject.edit(() => secrets('new', '2'));
    const external = () => subject.get<ExternalSecret>(EXTERNAL_SECRET, 'shop-web');
    await until('both keys', async () => {
      const keys = (await external())?.spec.data?.map(({ secretKey }) => secretKey);
      return keys?.join() === 'new,old';
    });
    await subject.deliver('web', '2', { old: 'x', new: 'y' });
    await hasImage(subject, 'new');
    await subject.pods.make('web', 'pod', CRASHING);
    await reaches(subject, 'stopped', 2);
    await hasImage(subject, 'old');
    await subject.runPods();
    await until('Running', async () => (await subject.read())?.status?.phase === 'Running');
    expect((await external())?.metadata.annotations).toMatchObject({ 'berth.dev/secret-version': '2' });
  });
});

describe('jobs', () => {
  const migrated = (args: string, image = 'a'): UserDeploymentSpec =>
    spec({
      services: [service({ image, dependsOn: ['migrate'] })],
      jobs: [{ name: 'migrate', image: 'm', args: [args] }],
    });
  const jobs = async (subject: Subject) => (await scene.client.list(JOB, { namespace: subject.namespace })).items;

  async function start(): Promise<Updated> {
    operator = await scene.startOperator();
    const plain = subjectOf(scene.client, { name: 'shop', namespace: await scene.newNamespace() });
    const subject = { ...plain, pods: madeUpPods(scene.client, plain) };
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
    await hasImage(subject, 'a');
    await subject.runPods();
    await reaches(subject, 'complete', 1);
    expect(await writesOf(() => lookTwice(subject))).toEqual([]);
    // Cleaned up by somebody: it has had its run all the same.
    const at = { name: (await jobs(subject))[0]!.metadata.name, namespace: subject.namespace };
    await scene.client.delete(JOB, at, { propagationPolicy: 'Background' });
    await subject.edit(() => migrated('1', 'b'));
    await hasImage(subject, 'b');
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
    operator = await scene.startOperator();
    const subject = subjectOf(scene.client, { name: 'shop', namespace: await scene.newNamespace() });
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

it('the record of a good version is made again when somebody deletes it', async () => {
  const subject = await run(version('a'));
  const records = async () => (await scene.client.list(CONTROLLER_REVISION, { namespace: subject.namespace })).items;
  const [record] = await records();
  await scene.client.delete(CONTROLLER_REVISION, { name: record!.metadata.name, namespace: subject.namespace });
  await until('another', async () => (await records())[0]?.metadata.uid !== record?.metadata.uid);
  await reaches(subject, 'complete', 1);
});
