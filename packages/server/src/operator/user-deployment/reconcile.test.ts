import { findCondition } from '@berth/core/conditions';
import { FINALIZER, type Phase } from '@berth/core/user-deployment';
import type { KubeObject } from '@berth/kube/schema/object';
import { DEPLOYMENT, EVENT, SERVICE } from '@berth/kube/schema/resources';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Deployment } from '../kinds.ts';
import { database, guestbookSpec, service, spec } from '../testing/fixtures.ts';
import {
  type OperatorScene,
  type RunningOperator,
  type Subject,
  startOperatorScene,
  subjectOf,
} from '../testing/operator-scene.ts';
import { until } from '../testing/until.ts';

let scene: OperatorScene;
let operator: RunningOperator;
beforeAll(async () => {
  scene = await startOperatorScene();
  operator = await scene.startOperator();
});
afterAll(() => scene.end());

async function newSubject(name = 'shop'): Promise<Subject> {
  return subjectOf(scene.client, { name, namespace: await scene.newNamespace() });
}

const reaches = (subject: Subject, phase: Phase) =>
  until(`phase ${phase}`, async () => (await subject.read())?.status?.phase === phase);
const has = (subject: Subject, child: string) => until(child, async () => (await subject.children()).includes(child));
const condition = async (subject: Subject, type: string) =>
  findCondition((await subject.read())?.status?.conditions, type);

describe('a deployment', () => {
  it('waits for the platform, then makes its children and runs', async () => {
    const subject = await newSubject();
    await subject.create(spec({ exposure: [{ host: 'shop.localhost', service: 'web', port: 'http' }] }));
    await reaches(subject, 'Pending');
    expect(await subject.children()).toEqual([]);
    expect((await subject.read())?.metadata.finalizers).toContain(FINALIZER);
    await subject.admit(['shop.localhost']);
    await has(subject, 'Ingress/shop');
    expect(await subject.children()).toEqual([
      'Deployment/shop-web',
      'Ingress/shop',
      'NetworkPolicy/shop',
      'Service/shop-web',
    ]);
    await reaches(subject, 'Starting');
    await subject.runPods();
    await reaches(subject, 'Running');
    const { status } = (await subject.read())!;
    expect(status).toMatchObject({ url: 'http://shop.localhost:8080', grantedHosts: ['shop.localhost'] });
    expect(status!.conditions!.map(({ type, status: value }) => `${type}=${value}`).sort()).toEqual([
      'Admitted=True',
      'HostsClaimed=True',
      'Ready=True',
      'Routed=True',
      'SecretsDelivered=True',
      'ServicesReady=True',
      'Updated=True',
      'Valid=True',
    ]);
    const events = await until('an event', async () => {
      const { items } = await scene.client.list(EVENT, { namespace: subject.namespace });
      return items.some(({ reason }) => reason === 'Running') && items;
    });
    expect(events.map(({ reason }) => reason)).toContain('Created');
  });

  it('starts its services in order, each when its secrets are there', async () => {
    const subject = await newSubject();
    await subject.create(guestbookSpec());
    await subject.admit(['shop.localhost']);
    await has(subject, 'ExternalSecret/shop-database');
    await until('the reason', async () => (await condition(subject, 'SecretsDelivered'))?.status === 'False');
    expect(await subject.children()).not.toContain('Deployment/shop-database');
    await subject.deliver('database', 'v1', { password: '$(A)' });
    await has(subject, 'Deployment/shop-database');
    expect(await subject.children()).not.toContain('Deployment/shop-web');
    await subject.runPods();
    await has(subject, 'Deployment/shop-web');
    await subject.runPods();
    await reaches(subject, 'Running');
  });

  it('replaces pods for a new secret only when it has been delivered', async () => {
    const subject = await newSubject();
    await subject.create(spec({ services: [database()], secretKeys: ['password'], secretVersion: 'v1' }));
    await subject.admit();
    await subject.deliver('database', 'v1', { password: 'a' });
    await has(subject, 'Deployment/shop-database');
    await subject.runPods();
    await reaches(subject, 'Running');
    const version = async () => {
      const found = await subject.get<Deployment>(DEPLOYMENT, 'shop-database');
      const { template } = found!.spec as unknown as { template: KubeObject };
      return template.metadata.annotations?.['berth.dev/secret-version'];
    };
    await subject.edit((before) => ({ ...before, secretVersion: 'v2' }));
    await until('the wait', async () => (await condition(subject, 'SecretsDelivered'))?.status === 'False');
    expect(await version()).toBe('v1');
    await subject.deliver('database', 'v2', { password: 'b' });
    await until('the new version', async () => (await version()) === 'v2');
  });

  it('is stopped and started again in order', async () => {
    const subject = await newSubject();
    await subject.create(guestbookSpec());
    await subject.admit(['shop.localhost']);
    await subject.deliver('database', 'v1', { password: 'a' });
    await has(subject, 'Deployment/shop-database');
    await subject.runPods();
    await has(subject, 'Deployment/shop-web');
    await subject.runPods();
    await reaches(subject, 'Running');
    const replicas = async (name: string) => (await subject.get<Deployment>(DEPLOYMENT, name))?.spec.replicas;
    await subject.edit((before) => ({ ...before, desired: 'stopped' }));
    await until(
      'no replicas',
      async () => (await replicas('shop-web')) === 0 && (await replicas('shop-database')) === 0,
    );
    await subject.runPods();
    await reaches(subject, 'Stopped');
    await subject.edit((before) => ({ ...before, desired: 'running' }));
    await until('the database', async () => (await replicas('shop-database')) === 1);
    expect(await replicas('shop-web')).toBe(0);
    await subject.runPods();
    await until('the web service', async () => (await replicas('shop-web')) === 1);
  });

  it('is ready when it is scaled to zero, and runs again when it is scaled up', async () => {
    const subject = await newSubject();
    await subject.create(spec({ services: [service({ replicas: 0 })] }));
    await subject.admit();
    await reaches(subject, 'Running');
    expect(await condition(subject, 'ServicesReady')).toMatchObject({ status: 'True', reason: 'ScaledToZero' });
    await subject.edit(() => spec({ services: [service({ replicas: 1 })] }));
    await has(subject, 'Deployment/shop-web');
    await subject.runPods();
    await until('AllReady', async () => (await condition(subject, 'ServicesReady'))?.reason === 'AllReady');
  });

  it('repairs what is changed or deleted by hand', async () => {
    const subject = await newSubject();
    await subject.create(spec());
    await subject.admit();
    await has(subject, 'Deployment/shop-web');
    const at = { name: 'shop-web', namespace: subject.namespace };
    await scene.client.patch(DEPLOYMENT, at, { type: 'merge', body: { spec: { replicas: 7 } } });
    await until(
      'one replica',
      async () => (await subject.get<Deployment>(DEPLOYMENT, 'shop-web'))?.spec.replicas === 1,
    );
    await scene.client.delete(SERVICE, at);
    await has(subject, 'Service/shop-web');
    await scene.client.patch(SERVICE, at, {
      type: 'merge',
      body: { metadata: { labels: { 'berth.dev/deployment': null } } },
    });
    await has(subject, 'Service/shop-web');
  });

  it('loses what an edit takes away, but never a volume', async () => {
    const subject = await newSubject();
    await subject.create({ services: [service(), database({ env: [] })] });
    await subject.admit();
    await has(subject, 'Deployment/shop-database');
    await subject.edit(() => spec());
    await until('the prune', async () => !(await subject.children()).includes('Service/shop-database'));
    expect(await subject.children()).toEqual([
      'Deployment/shop-web',
      'NetworkPolicy/shop',
      'PersistentVolumeClaim/shop-database-data',
      'Service/shop-web',
    ]);
    const valid = await until('the word', async () => {
      const found = await condition(subject, 'Valid');
      return found?.reason === 'VolumesKept' && found;
    });
    expect(valid.message).toContain('shop-database-data');
  });

  it('changes nothing for a spec that cannot be run, and says which field', async () => {
    const subject = await newSubject();
    await subject.create(spec());
    await subject.admit();
    await has(subject, 'Deployment/shop-web');
    const before = await subject.childObjects();
    await subject.edit(() => spec({ services: [service({ dependsOn: ['nobody'] })] }));
    const valid = await until('the condition', async () => {
      const found = await condition(subject, 'Valid');
      return found?.status === 'False' && found;
    });
    expect(valid.message).toBe('spec.services[0].dependsOn[0]: there is no service or job "nobody"');
    expect(await subject.childObjects()).toEqual(before);
  });

  it('never takes over an object of somebody else, and goes on when it is gone', async () => {
    const subject = await newSubject();
    const { namespace } = subject;
    const theirs = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'shop-web', namespace },
      spec: { ports: [{ port: 1 }], selector: { a: 'theirs' } },
    };
    await scene.client.create(SERVICE, theirs);
    await subject.create(spec({ services: [service({ files: [{ path: '/etc/a', content: 'ours' }] })] }));
    await subject.admit();
    await until('the conflict', async () => (await condition(subject, 'ServicesReady'))?.reason === 'NameTaken');
    expect((await condition(subject, 'ServicesReady'))?.message).toContain('Service shop-web exists');
    expect((await subject.get(SERVICE, 'shop-web'))?.spec).toMatchObject({ selector: { a: 'theirs' } });
    expect(await subject.get(DEPLOYMENT, 'shop-web')).toBeUndefined();
    await scene.client.delete(SERVICE, { name: 'shop-web', namespace });
    await subject.edit((before) => ({ ...before, restartedAt: 'now' }));
    await has(subject, 'Deployment/shop-web');
  });

  it('case 4: two whose names share 60 characters live side by side', async () => {
    const namespace = await scene.newNamespace();
    const names = ['one', 'two'].map((end) => `${'a'.repeat(59)}-${end}`);
    const subjects = names.map((name) => subjectOf(scene.client, { name, namespace }));
    for (const subject of subjects) {
      await subject.create(guestbookSpec());
      await subject.admit();
    }
    for (const subject of subjects) {
      await until('its children', async () => (await subject.children()).length >= 5);
      expect((await condition(subject, 'ServicesReady'))?.reason).not.toBe('NameTaken');
    }
  });
});

it('nothing of all this was an error', () => {
  expect(operator.logs.filter(({ level }) => level === 'error')).toEqual([]);
});
