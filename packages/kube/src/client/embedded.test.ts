import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type EmbeddedScene, startEmbeddedScene } from '../embedded/testing/embedded-scene.ts';
import { type KubeObject, objectKey, type WatchEvent } from '../schema/object.ts';
import { CONFIG_MAP, EVENT, LEASE, NAMESPACE } from '../schema/resources.ts';
import { pinnedTo } from './apply.ts';
import { createController } from './controller.ts';
import { createEventRecorder } from './event-recorder.ts';
import { addFinalizer, removeFinalizer } from './finalizers.ts';
import { startLeaderElection } from './leader-election.ts';
import { deleteExactly } from './owner.ts';
import { createReflector } from './reflector.ts';
import { createSilentLogger } from './testing/silent-logger.ts';
import { until } from './testing/until.ts';

let scene: EmbeddedScene;
beforeAll(async () => {
  scene = await startEmbeddedScene();
});
afterAll(() => scene.end());

const configMap = (name: string, data: Record<string, string> = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: scene.namespace },
  data,
});
const at = (name: string) => ({ name, namespace: scene.namespace });

describe('the verbs', () => {
  test('an object is made, read, replaced, patched, applied and deleted', async () => {
    const { client } = scene;
    const made = await client.create(CONFIG_MAP, configMap('verbs', { a: '1' }));
    expect(made.metadata.uid).toBeTypeOf('string');
    const replaced = await client.replace(CONFIG_MAP, { ...made, data: { a: '2' } });
    await expect(client.replace(CONFIG_MAP, { ...made, data: { a: '3' } })).rejects.toMatchObject({
      reason: 'Conflict',
    });
    expect(replaced.data).toEqual({ a: '2' });
    const patched = await client.patch(CONFIG_MAP, at('verbs'), { type: 'merge', body: { data: { b: '1' } } });
    expect(patched.data).toEqual({ a: '2', b: '1' });
    const applied = await client.apply(CONFIG_MAP, configMap('verbs', { c: '1' }), { fieldManager: 'test' });
    expect(applied.data).toEqual({ a: '2', b: '1', c: '1' });
    expect((await client.get(CONFIG_MAP, at('verbs'))).data).toEqual({ a: '2', b: '1', c: '1' });
    await client.delete(CONFIG_MAP, at('verbs'));
    await expect(client.get(CONFIG_MAP, at('verbs'))).rejects.toMatchObject({ code: 404, reason: 'NotFound' });
    expect(await client.delete(CONFIG_MAP, at('verbs'))).toBeUndefined();
  });

  test('a dry run answers and changes nothing', async () => {
    await scene.client.create(CONFIG_MAP, configMap('dry'), { dryRun: true });
    await expect(scene.client.get(CONFIG_MAP, at('dry'))).rejects.toMatchObject({ code: 404 });
  });

  test('bad input comes back with the field at fault', async () => {
    const failure = await scene.client.create(CONFIG_MAP, configMap('Not A Name')).catch((error: unknown) => error);
    expect(failure).toMatchObject({
      code: 422,
      reason: 'Invalid',
      status: { details: { causes: [{ field: 'metadata.name' }] } },
    });
  });

  test('a watch tells what happens, and ends when the server says so', async () => {
    const { client, namespace } = scene;
    const { resourceVersion } = (await client.list(CONFIG_MAP, { namespace })).metadata;
    const events: string[] = [];
    const watching = (async () => {
      const options = { namespace, resourceVersion: resourceVersion!, timeoutSeconds: 1 };
      for await (const event of client.watch(CONFIG_MAP, options)) events.push(nameOf(event));
    })();
    const made = await client.create(CONFIG_MAP, configMap('watched'));
    await client.replace(CONFIG_MAP, { ...made, data: { a: '1' } });
    await client.delete(CONFIG_MAP, at('watched'));
    await watching;
    expect(events).toEqual(['ADDED watched', 'MODIFIED watched', 'DELETED watched']);
  });
});

test('a reflector follows the server', async () => {
  const { client, namespace } = scene;
  const reflector = createReflector({ client, type: CONFIG_MAP, namespace, logger: createSilentLogger() });
  const seen: string[] = [];
  reflector.onChange('test', ({ type, object }) => seen.push(`${type} ${object.metadata.name}`));
  await Promise.all(Array.from({ length: 30 }, (_, i) => client.create(CONFIG_MAP, configMap(`many-${i}`))));
  reflector.start();
  await reflector.synced;
  expect(reflector.list().filter(({ metadata }) => metadata.name.startsWith('many-'))).toHaveLength(30);
  await client.delete(CONFIG_MAP, at('many-7'));
  await until(() => reflector.get(`${namespace}/many-7`) === undefined);
  expect(seen.at(-1)).toBe('deleted many-7');
  expect(reflector.healthy()).toBe(true);
  await reflector.stop();
});

describe('case 14: an object deleted while it is reconciled and made again with the same name', () => {
  test('deleting the old one leaves the new one', async () => {
    const { client } = scene;
    const old = await client.create(CONFIG_MAP, configMap('phoenix'));
    await client.delete(CONFIG_MAP, at('phoenix'));
    const young = await client.create(CONFIG_MAP, configMap('phoenix'));
    await deleteExactly(client, CONFIG_MAP, { object: old });
    expect((await client.get(CONFIG_MAP, at('phoenix'))).metadata.uid).toBe(young.metadata.uid);
    await deleteExactly(client, CONFIG_MAP, { object: young });
    await expect(client.get(CONFIG_MAP, at('phoenix'))).rejects.toMatchObject({ code: 404 });
    await deleteExactly(client, CONFIG_MAP, { object: young });
  });

  test('an apply makes what is not there, and changes only what was seen', async () => {
    const { client } = scene;
    const options = { fieldManager: 'test', force: true };
    const wanted = (value: string) => ({ ...configMap('pinned'), data: { value } });
    const made = await client.apply(CONFIG_MAP, pinnedTo(wanted('1'), undefined), options);
    // Somebody else has made it meanwhile, or has changed it, or it went and came again.
    const late = client.apply(CONFIG_MAP, pinnedTo(wanted('2'), undefined), options);
    await expect(late).rejects.toMatchObject({ reason: 'Conflict' });
    const changed = await client.apply(CONFIG_MAP, pinnedTo(wanted('3'), made), options);
    const stale = client.apply(CONFIG_MAP, pinnedTo(wanted('4'), made), options);
    await expect(stale).rejects.toMatchObject({ reason: 'Conflict' });
    await client.delete(CONFIG_MAP, at('pinned'));
    const gone = client.apply(CONFIG_MAP, pinnedTo(wanted('5'), changed), options);
    await expect(gone).rejects.toMatchObject({ reason: 'Conflict' });
    await client.apply(CONFIG_MAP, pinnedTo(wanted('6'), undefined), options);
    const replaced = client.apply(CONFIG_MAP, pinnedTo(wanted('7'), changed), options);
    await expect(replaced).rejects.toMatchObject({ reason: 'Conflict' });
    expect(await client.get(CONFIG_MAP, at('pinned'))).toMatchObject({ data: { value: '6' } });
  });

  test('a finalizer is never written to a namesake', async () => {
    const { client } = scene;
    const old = await client.create(CONFIG_MAP, configMap('again'));
    await client.delete(CONFIG_MAP, at('again'));
    await client.create(CONFIG_MAP, configMap('again'));
    const adding = addFinalizer(client, CONFIG_MAP, { object: old, finalizer: 'example.test/clean' });
    await expect(adding).rejects.toMatchObject({ reason: 'Conflict' });
  });

  test('an object with a finalizer stays until it is removed', async () => {
    const { client } = scene;
    const made = await client.create(CONFIG_MAP, configMap('guarded'));
    await addFinalizer(client, CONFIG_MAP, { object: made, finalizer: 'example.test/clean' });
    await client.delete(CONFIG_MAP, at('guarded'));
    const going = await client.get(CONFIG_MAP, at('guarded'));
    expect(going.metadata.deletionTimestamp).toBeTypeOf('string');
    await removeFinalizer(client, CONFIG_MAP, { object: going, finalizer: 'example.test/clean' });
    await expect(client.get(CONFIG_MAP, at('guarded'))).rejects.toMatchObject({ code: 404 });
  });
});

test('case 16: a spec edited 20 times a second while its children change costs a bounded number of reconciles', async () => {
  const { client } = scene;
  const namespace = 'busy';
  await client.create(NAMESPACE, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  const logger = createSilentLogger();
  const reflector = createReflector({ client, type: CONFIG_MAP, namespace, logger });
  let runs = 0;
  const controller = createController({
    name: 'busy',
    logger,
    queue: { minIntervalMs: 200 },
    async reconcile() {
      runs++;
    },
  });
  controller.watches(reflector, () => [`${namespace}/parent`]);
  await controller.start();
  const write = (name: string, value: number) =>
    client.apply(
      CONFIG_MAP,
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace }, data: { value: String(value) } },
      { fieldManager: 'test' },
    );
  const started = performance.now();
  for (let tick = 0; tick < 20; tick++) {
    const children = Array.from({ length: 6 }, (_, i) => write(`child-${(tick * 6 + i) % 60}`, tick));
    await Promise.all([write('parent', tick), ...children]);
  }
  await until(() => reflector.get(`${namespace}/parent`)?.data !== undefined && reflector.list().length === 61);
  const elapsed = performance.now() - started;
  expect(runs).toBeLessThanOrEqual(elapsed / 200 + 2);
  await controller.stop();
  await reflector.stop();
});

test('of two candidates one leads; when it stops the other does', async () => {
  const { client, namespace } = scene;
  const lease = { name: 'leader', namespace };
  const stand = (identity: string) =>
    startLeaderElection({
      client,
      lease,
      identity,
      logger: createSilentLogger(),
      onStarted: () => undefined,
      onStopped: () => undefined,
      retryPeriodMs: 50,
      renewDeadlineMs: 2000,
      leaseDurationMs: 3000,
    });
  const first = stand('first');
  await until(() => first.isLeader());
  const second = stand('second');
  await until(async () => holderOf(await client.get(LEASE, lease)) === 'first');
  await first.stop();
  await until(() => second.isLeader());
  expect(first.isLeader()).toBe(false);
  await second.stop();
  expect(holderOf(await client.get(LEASE, lease)) ?? '').toBe('');
});

test('events are recorded and count up', async () => {
  const { client, namespace } = scene;
  const object = await client.create(CONFIG_MAP, configMap('speaker'));
  const recorder = createEventRecorder({ client, component: 'test', logger: createSilentLogger(), newId: randomUUID });
  for (let i = 0; i < 3; i++) {
    recorder.record(object, { type: 'Normal', reason: 'Spoke', message: 'hello' });
    await recorder.flush();
  }
  const events = await client.list(EVENT, { namespace });
  expect(events.items).toMatchObject([
    { reason: 'Spoke', count: 3, involvedObject: { name: objectKey(object).split('/')[1] } },
  ]);
});

function nameOf({ type, object }: WatchEvent): string {
  return `${type} ${object.metadata.name}`;
}

function holderOf(lease: KubeObject): string | undefined {
  return (lease.spec as { holderIdentity?: string }).holderIdentity;
}
