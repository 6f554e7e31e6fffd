import type { UpdateStatus, UserDeploymentSpec } from '@berth/core/user-deployment';
import { CONFIG_MAP, CONTROLLER_REVISION, DEPLOYMENT, INGRESS } from '@berth/kube/schema/resources';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ExternalSecret } from '../../kubernetes/external-secret.ts';
import { EXTERNAL_SECRET, USER_DEPLOYMENT } from '../../kubernetes/resource-types.ts';
import { database, service, spec } from '../testing/fixtures.ts';
import { CRASHING } from '../testing/made-up-pods.ts';
import { type OperatorScene, type RunningOperator, startOperatorScene } from '../testing/operator-scene.ts';
import { until } from '../testing/until.ts';
import { type UpdatingSubject, updatingSubject } from '../testing/updating-subject.ts';
import { writesOfLooks } from '../testing/writes-of-looks.ts';

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

const version = (image: string, parts: Partial<UserDeploymentSpec> = {}): UserDeploymentSpec =>
  spec({ services: [service({ image })], ...parts });

/** Not made yet, with an operator that waits for it. */
async function newSubject(): Promise<UpdatingSubject> {
  operator = await scene.startOperator();
  return updatingSubject(scene.client, { name: 'shop', namespace: await scene.newNamespace() });
}

async function run(first: UserDeploymentSpec, hosts: string[] = []): Promise<UpdatingSubject> {
  const subject = await newSubject();
  await subject.create(first);
  await subject.admit(hosts);
  await until('the first good version', async () => {
    await subject.runPods();
    return (await subject.update())?.state === 'complete';
  });
  return subject;
}

/** The update to this image is rolled out, and its pod crashes. */
async function failUpdate(subject: UpdatingSubject, image: string, generation: number): Promise<UpdateStatus> {
  await subject.edit((before) => ({ ...before, services: [service({ image })] }));
  await subject.hasImage(image);
  await subject.pods.make('web', `pod-${generation}`, CRASHING);
  return subject.reaches('stopped', generation);
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
    await subject.hasImage('a');
    await subject.runPods();
    await until('Running', async () => (await subject.read())?.status?.phase === 'Running');
    expect(await subject.condition('Updated')).toMatchObject({ status: 'False', reason: 'UpdateStopped' });
    expect(await subject.condition('Ready')).toMatchObject({ status: 'True', observedGeneration: 2 });
  });

  it('stays stopped over a new title, a pause, a stop and a start, and costs no write', async () => {
    const subject = await run(version('a'));
    await failUpdate(subject, 'b', 2);
    await subject.hasImage('a');
    await subject.runPods();
    expect(await writesOfLooks(scene.client, operator, subject)).toEqual([]);
    await subject.edit((before) => ({ ...before, displayName: 'Shop', paused: true }));
    await subject.reaches('stopped', 3);
    await subject.edit((before) => ({ ...before, desired: 'stopped' }));
    await until('no replica', async () => (await subject.deployment())?.spec.replicas === 0);
    await subject.pods.remove('pod-2');
    await subject.runPods();
    await until('Stopped', async () => (await subject.read())?.status?.phase === 'Stopped');
    await subject.edit(({ paused: _resumed, ...before }) => ({ ...before, desired: 'running' }));
    await until('a replica', async () => (await subject.deployment())?.spec.replicas === 1);
    await subject.runPods();
    expect(await subject.reaches('stopped', 5)).toMatchObject({ message: expect.stringContaining('exit code 1') });
    expect(await subject.imageOf()).toBe('a');
  });

  it('is over when another version is wanted, be that one bad too or, at last, good', async () => {
    const subject = await run(version('a'));
    await failUpdate(subject, 'b', 2);
    expect(await failUpdate(subject, 'c', 3)).toMatchObject({ service: 'web' });
    await subject.hasImage('a');
    await subject.edit((before) => ({ ...before, services: [service({ image: 'd' })] }));
    await subject.hasImage('d');
    await subject.runPods();
    await subject.reaches('complete', 4);
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
    await subject.hasImage('b');
    await subject.reaches('progressing', 3);
    await subject.edit(() => version('a'));
    await subject.hasImage('a');
    await subject.reaches('complete', 4);
  });

  it('goes back though the spec has become one that cannot be run', async () => {
    const subject = await run(version('a'));
    await failUpdate(subject, 'b', 2);
    await subject.edit((before) => ({ ...before, services: [service({ image: 'c', dependsOn: ['nobody'] })] }));
    await until('the word', async () => (await subject.condition('Valid'))?.status === 'False');
    await subject.hasImage('a');
    await scene.client.delete(DEPLOYMENT, { name: 'shop-web', namespace: subject.namespace });
    await subject.hasImage('a');
  });

  it('comes to the same end when the operator dies after it has said so, or before', async () => {
    for (const more of [0, 1]) {
      const subject = await run(version('a'));
      await operator.stop();
      await subject.edit((before) => ({ ...before, services: [service({ image: 'b' })] }));
      operator = await scene.startOperator();
      await subject.hasImage('b');
      await subject.reaches('progressing', 2);
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
      await subject.reaches('stopped', 2);
      await subject.hasImage('a');
      if (more === 0) await operator.stop();
    }
  });

  it('is one whose pods the cluster refuses for longer than a moment, or whose objects it does not take', async () => {
    const subject = await run(version('a'));
    await subject.edit((before) => ({ ...before, services: [service({ image: 'b' })] }));
    await subject.hasImage('b');
    const lastTransitionTime = '2026-01-01T00:00:00Z';
    const message = 'exceeded quota: berth-plan';
    const refused = { type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message, lastTransitionTime };
    await subject.pods.sayOfDeployment('web', { replicas: 1, readyReplicas: 1, conditions: [refused] });
    const stopped = await subject.reaches('stopped', 2);
    expect(stopped.message).toBe('Kubernetes refuses a pod of web: exceeded quota: berth-plan.');
    const resources = { requests: { cpu: '2' }, limits: { cpu: '1' } };
    await subject.edit((before) => ({ ...before, services: [service({ image: 'c', resources })] }));
    expect((await subject.reaches('stopped', 3)).message).toMatch(
      /^Kubernetes refuses Deployment shop-web\. .*resources\.requests/,
    );
    await subject.hasImage('a');
  });

  it('is no matter of a service that it does not touch', async () => {
    const other = service({ name: 'other', image: 'o' });
    const subject = await run(spec({ services: [service({ image: 'a' }), other] }));
    await subject.pods.make('other', 'ill', CRASHING);
    await subject.edit(() => spec({ services: [service({ image: 'b' }), other] }));
    await subject.hasImage('b');
    await subject.runPods();
    await subject.reaches('complete', 2);
  });

  it('of a first start is none: nothing is there to go back to', async () => {
    const subject = await newSubject();
    await subject.create(version('a'));
    await subject.admit();
    await subject.hasImage('a');
    await subject.pods.make('web', 'pod', CRASHING);
    await until('Failing', async () => (await subject.read())?.status?.phase === 'Failing');
    expect(await subject.update()).toBeUndefined();
    expect(await subject.condition('Updated')).toBeUndefined();
  });
});

describe('a paused deployment', () => {
  it('keeps what runs while changes wait, and rolls them out when it is resumed', async () => {
    const subject = await run(version('a'));
    await subject.edit((before) => ({ ...before, paused: true }));
    expect(await subject.reaches('paused', 2)).not.toHaveProperty('servingRevision');
    expect(await subject.condition('Updated')).toMatchObject({ status: 'True' });
    await subject.edit(() => version('b', { paused: true }));
    await subject.reaches('paused', 3);
    expect(await subject.condition('Updated')).toMatchObject({ status: 'False', reason: 'Paused' });
    expect(await subject.condition('Ready')).toMatchObject({ status: 'True' });
    expect(await subject.imageOf()).toBe('a');
    await subject.edit(() => version('b'));
    await subject.hasImage('b');
    await subject.runPods();
    await subject.reaches('complete', 4);
  });

  it('stops and starts what runs', async () => {
    const subject = await run(version('a'));
    await subject.edit(() => version('b', { paused: true, desired: 'stopped' }));
    await until('no replica', async () => (await subject.deployment())?.spec.replicas === 0);
    await subject.edit(() => version('b', { paused: true }));
    await until('a replica', async () => (await subject.deployment())?.spec.replicas === 1);
    expect(await subject.imageOf()).toBe('a');
  });

  it('that has never run waits', async () => {
    const subject = await newSubject();
    await subject.create(version('a', { paused: true }));
    await subject.admit();
    await until('the word', async () => (await subject.condition('Ready'))?.reason === 'Paused');
    expect(await subject.children()).toEqual([]);
    await subject.edit(() => version('a'));
    await subject.hasImage('a');
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
    await subject.hasImage('b', 'database');
    await subject.reaches('progressing', 2);
    expect((await subject.condition('Updated'))?.message).toContain('web starts when database is ready');
    expect(await subject.imageOf()).toBe('a');
    await subject.runPods();
    await subject.hasImage('b');
  });

  it('a service with a volume is named as long as it is down', async () => {
    const kept = (image: string) => spec({ services: [database({ image, env: [] })] });
    const subject = await run(kept('a'));
    await subject.edit(() => kept('b'));
    await until('the name', async () => (await subject.update())?.replaces?.includes('database'));
    await subject.runPods();
    expect(await subject.reaches('complete', 2)).not.toHaveProperty('replaces');
  });

  it('a service that is no longer wanted, and the address that leads to it, stay until the new one is good', async () => {
    const at = (name: string) =>
      spec({ services: [service({ name })], exposure: [{ host: 'a.localhost', service: name, port: 'http' }] });
    const subject = await run(at('web'), ['a.localhost']);
    await subject.edit(() => at('frontend'));
    await until('the new service', async () => (await subject.children()).includes('Deployment/shop-frontend'));
    await until('the reason', async () => (await subject.condition('Routed'))?.reason === 'TargetNotReady');
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
    await subject.reaches('complete', 2);
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
    const subject = await newSubject();
    await subject.create(secrets('old', '1'));
    await subject.admit();
    await subject.deliver('web', '1', { old: 'x' });
    await subject.hasImage('old');
    await subject.runPods();
    await subject.reaches('complete', 1);
    await subject.edit(() => secrets('new', '2'));
    const external = () => subject.get<ExternalSecret>(EXTERNAL_SECRET, 'shop-web');
    await until('both keys', async () => {
      const keys = (await external())?.spec.data?.map(({ secretKey }) => secretKey);
      return keys?.join() === 'new,old';
    });
    await subject.deliver('web', '2', { old: 'x', new: 'y' });
    await subject.hasImage('new');
    await subject.pods.make('web', 'pod', CRASHING);
    await subject.reaches('stopped', 2);
    await subject.hasImage('old');
    await subject.runPods();
    await until('Running', async () => (await subject.read())?.status?.phase === 'Running');
    expect((await external())?.metadata.annotations).toMatchObject({ 'berth.dev/secret-version': '2' });
  });
});

it('the record of a good version is made again when somebody deletes it', async () => {
  const subject = await run(version('a'));
  const records = async () => (await scene.client.list(CONTROLLER_REVISION, { namespace: subject.namespace })).items;
  const [record] = await records();
  await scene.client.delete(CONTROLLER_REVISION, { name: record!.metadata.name, namespace: subject.namespace });
  await until('another', async () => (await records())[0]?.metadata.uid !== record?.metadata.uid);
  await subject.reaches('complete', 1);
});
