import { FINALIZER } from '@berth/core/user-deployment';
import type { KubeObject } from '@berth/kube/schema/object';
import { DEPLOYMENT, NAMESPACE, PERSISTENT_VOLUME_CLAIM, POD, SECRET, SERVICE } from '@berth/kube/schema/resources';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { USER_DEPLOYMENT } from '../../kubernetes/resource-types.ts';
import { CHILD_TYPES } from '../caches.ts';
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
let operators: RunningOperator[] = [];
beforeAll(async () => {
  scene = await startOperatorScene();
});
afterEach(async () => {
  await Promise.all(operators.map((operator) => operator.stop()));
  operators = [];
});
afterAll(() => scene.end());

async function startOperator(): Promise<RunningOperator> {
  const operator = await scene.startOperator();
  operators.push(operator);
  return operator;
}

async function newSubject(): Promise<Subject> {
  return subjectOf(scene.client, { name: 'shop', namespace: await scene.newNamespace() });
}

const has = (subject: Subject, child: string) => until(child, async () => (await subject.children()).includes(child));
const isGone = (subject: Subject) =>
  until('the end', async () => {
    await subject.releaseClaims();
    return (await subject.read()) === undefined;
  });

async function runGuestbook(): Promise<Subject> {
  const subject = await newSubject();
  await subject.create(guestbookSpec());
  await subject.admit(['shop.localhost']);
  await subject.deliver('database', 'v1', { password: 'a' });
  await has(subject, 'Deployment/shop-database');
  await subject.runPods();
  await has(subject, 'Deployment/shop-web');
  await subject.runPods();
  await until('Running', async () => (await subject.read())?.status?.phase === 'Running');
  return subject;
}

function podOf(subject: Subject, finalizers: string[] = []): KubeObject {
  const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'shop-web-1', uid: 'rs', controller: true };
  const labels = { 'berth.dev/deployment': subject.name, 'berth.dev/service': 'web' };
  const metadata = { name: 'shop-web-1', namespace: subject.namespace, labels, finalizers, ownerReferences: [owner] };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata,
    spec: { containers: [{ name: 'web', image: 'berth.dev/whoami:1' }] },
  };
}

describe('case 4: a name that no label holds', () => {
  it('is refused in its status, and keeps nobody from deleting it', async () => {
    const subject = subjectOf(scene.client, { name: 'x'.repeat(64), namespace: await scene.newNamespace() });
    await startOperator();
    await subject.create(guestbookSpec());
    const refusal = /longer than 63 characters/;
    await until('it says so', async () =>
      (await subject.read())?.status?.conditions?.some(({ message }) => refusal.test(message ?? '')),
    );
    await scene.client.delete(USER_DEPLOYMENT, { name: subject.name, namespace: subject.namespace });
    await until('the end', async () => (await subject.read()) === undefined);
  });
});

describe('case 14: deleted while it is reconciled, then made again with the same name', () => {
  it('leaves no orphan and makes nothing for the one that is going', async () => {
    await startOperator();
    const subject = await newSubject();
    const first = await subject.create(guestbookSpec());
    await subject.admit();
    await has(subject, 'NetworkPolicy/shop');
    // In the middle: more children are on their way.
    await subject.delete();
    const second = await until('the second', async () => {
      await subject.releaseClaims();
      const made = await subject.create(guestbookSpec()).catch(() => undefined);
      return made && made.metadata.uid !== first.metadata.uid && made.metadata.deletionTimestamp === undefined && made;
    });
    await subject.admit();
    await has(subject, 'Service/shop-web');
    const owners = (await subject.childObjects()).map(({ metadata }) => metadata.ownerReferences?.[0]?.uid);
    expect(new Set(owners)).toEqual(new Set([second.metadata.uid]));
  });

  it('waits for what an earlier one has left, when its finalizer was taken away by hand', async () => {
    const operator = await startOperator();
    const subject = await newSubject();
    const { namespace } = subject;
    await subject.create(spec());
    await subject.admit();
    await has(subject, 'Deployment/shop-web');
    await operator.stop();
    await subject.delete();
    const body = { metadata: { finalizers: [] } };
    await scene.client.patch(USER_DEPLOYMENT, { name: 'shop', namespace }, { type: 'merge', body });
    await isGone(subject);
    const left = await subject.childObjects();
    expect(left.length).toBeGreaterThan(0);
    await startOperator();
    const second = await subject.create(spec());
    await subject.admit();
    await until('the wait', async () => {
      const found = (await subject.read())?.status?.conditions?.find(({ type }) => type === 'ServicesReady');
      return found?.reason === 'EarlierObjectGoing';
    });
    // What the garbage collector would do.
    for (const object of left) {
      const type = CHILD_TYPES.find(({ kind }) => kind === object.kind)!;
      await scene.client.delete(type, { name: object.metadata.name, namespace });
    }
    await has(subject, 'Deployment/shop-web');
    for (const { metadata } of await subject.childObjects()) {
      expect(metadata.ownerReferences).toMatchObject([{ uid: second.metadata.uid }]);
    }
  });
});

describe('case 15: what is gone already counts as removed', () => {
  it('when the operator was stopped while the resource was deleted', async () => {
    const operator = await startOperator();
    const subject = await runGuestbook();
    await operator.stop();
    await subject.delete();
    expect((await subject.read())?.metadata.finalizers).toContain(FINALIZER);
    await startOperator();
    await isGone(subject);
    expect(await subject.children()).toEqual([]);
  });

  it('when a Secret and a volume were removed by hand first', async () => {
    await startOperator();
    const subject = await runGuestbook();
    const { namespace } = subject;
    await scene.client.delete(SECRET, { name: 'shop-database', namespace });
    await subject.delete();
    await scene.client.delete(PERSISTENT_VOLUME_CLAIM, { name: 'shop-database-data', namespace });
    await isGone(subject);
    expect(await subject.children()).toEqual([]);
  });

  it('when the namespace was deleted first', async () => {
    await startOperator();
    const subject = await runGuestbook();
    await scene.client.delete(NAMESPACE, { name: subject.namespace });
    // What the namespace controller would do: nothing new is let in meanwhile.
    await subject.delete();
    await isGone(subject);
    expect(await subject.children()).toEqual([]);
  });

  it('and says what blocks while something is not', async () => {
    await startOperator();
    const subject = await runGuestbook();
    const { namespace } = subject;
    await scene.client.create(POD, podOf(subject, ['example.com/backup']));
    await subject.delete();
    const message = await until('the blocker', async () => {
      const { status } = (await subject.read()) ?? {};
      const ready = status?.conditions?.find(({ type }) => type === 'Ready');
      return status?.phase === 'Deleting' && ready?.reason === 'Deleting' && ready.message;
    });
    expect(message).toBe('waits until these are gone: Pod shop-web-1 (waits for example.com/backup)');
    // The data stays until no pod can use it.
    expect(await subject.children()).toContain('PersistentVolumeClaim/shop-database-data');
    const at = { name: 'shop-web-1', namespace };
    await scene.client.patch(POD, at, { type: 'merge', body: { metadata: { finalizers: [] } } });
    await scene.client.delete(POD, at, { gracePeriodSeconds: 0 });
    await isGone(subject);
    expect(await subject.children()).toEqual([]);
  });
});

describe('case 16: much changes, or nothing does', () => {
  const twenty = Array.from({ length: 20 }, (_, at) =>
    service({ name: `s${at}`, files: [{ path: '/etc/a', content: `${at}` }] }),
  );

  async function reconciles(operator: RunningOperator, result?: string): Promise<number> {
    const metric = operator.metrics.getSingleMetric('controller_runtime_reconcile_total');
    const { values } = await metric!.get();
    return values
      .filter(({ labels }) => labels.controller === 'user-deployment' && (!result || labels.result === result))
      .reduce((total, { value }) => total + value, 0);
  }

  it('reconciles a bounded number of times while a spec is edited 20 times a second and 60 children change', async () => {
    const operator = await startOperator();
    const subject = await newSubject();
    await subject.create({ services: twenty });
    await subject.admit();
    await until('all children', async () => (await subject.children()).length === 61, 20_000);
    await subject.runPods();
    await until('a good version', async () => (await subject.read())?.status?.update?.state === 'complete', 20_000);
    const before = await reconciles(operator);
    const started = performance.now();
    const body = (count: number) => ({ metadata: { annotations: { touched: String(count) } } });
    for (let edit = 1; edit <= 20; edit++) {
      const next = performance.now() + 50;
      const touched = Array.from({ length: 3 }, (_, at) => `shop-s${(edit * 3 + at) % 20}`);
      await Promise.all([
        subject.create({ services: twenty, restartedAt: String(edit) }),
        ...touched.map((name) =>
          scene.client.patch(
            edit % 2 ? SERVICE : DEPLOYMENT,
            { name, namespace: subject.namespace },
            { type: 'merge', body: body(edit) },
          ),
        ),
      ]);
      await new Promise((resolve) => setTimeout(resolve, Math.max(next - performance.now(), 0)));
    }
    await until(
      'the last edit everywhere',
      async () => {
        const deployments = (await subject.childObjects()).filter(({ kind }) => kind === 'Deployment');
        return deployments.every((object) => JSON.stringify(object.spec).includes('"berth.dev/restarted-at":"20"'));
      },
      20_000,
    );
    const seconds = (performance.now() - started) / 1000;
    expect((await reconciles(operator)) - before).toBeLessThanOrEqual(seconds * 10 + 5);
    expect(await reconciles(operator, 'error')).toBe(0);
  }, 60_000);

  it('writes nothing for what does not change, however often it is looked at', async () => {
    const operator = await startOperator();
    const subject = await runGuestbook();
    const { namespace } = subject;
    await until('quiet', async () => {
      const count = operator.client.writes.length;
      await new Promise((resolve) => setTimeout(resolve, 300));
      return operator.client.writes.length === count;
    });
    const writes = operator.client.writes.length;
    const looks = await reconciles(operator);
    for (let count = 1; count <= 10; count++) {
      const body = { metadata: { annotations: { touched: String(count) } } };
      await scene.client.patch(USER_DEPLOYMENT, { name: 'shop', namespace }, { type: 'merge', body });
      await scene.client.patch(SERVICE, { name: 'shop-web', namespace }, { type: 'merge', body });
      await until('a look', async () => (await reconciles(operator)) >= looks + count);
    }
    expect(operator.client.writes.slice(writes)).toEqual([]);
  });

  it('writes nothing when a new operator starts', async () => {
    const first = await startOperator();
    const subject = await runGuestbook();
    await until('quiet', async () => {
      const count = first.client.writes.length;
      await new Promise((resolve) => setTimeout(resolve, 300));
      return first.client.writes.length === count;
    });
    await first.stop();
    const second = await startOperator();
    await until('a look', async () => (await reconciles(second)) > 0);
    await subject.runPods();
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(second.client.writes.filter(({ name }) => name.startsWith('shop'))).toEqual([]);
  });
});

it('a volume alone keeps nothing from being deleted', async () => {
  await startOperator();
  const subject = await newSubject();
  await subject.create({ services: [database({ env: [] })] });
  await subject.admit();
  await has(subject, 'Deployment/shop-database');
  await subject.delete();
  await isGone(subject);
  expect(await subject.children()).toEqual([]);
});
