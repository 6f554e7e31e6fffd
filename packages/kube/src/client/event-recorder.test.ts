import { expect, test } from 'vitest';
import type { KubeObject } from '../schema/object.ts';
import { KubeError } from '../schema/status.ts';
import type { KubeClient } from './client.ts';
import { createEventRecorder } from './event-recorder.ts';
import { createFakeClock } from './testing/fake-clock.ts';
import { createSilentLogger } from './testing/silent-logger.ts';

const object = (name: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'team', uid: `uid-${name}` },
});
const failed = { type: 'Warning', reason: 'Failed', message: 'it broke' } as const;

function makeScene() {
  const clock = createFakeClock();
  const events = new Map<string, KubeObject>();
  let trouble: KubeError | undefined;
  const create = (async (_type, event) => {
    if (trouble) throw trouble;
    events.set(event.metadata.name, event);
    return event;
  }) as KubeClient['create'];
  const patch = (async (_type, at, change) => {
    const known = events.get(at.name);
    if (!known) throw new KubeError(404, 'NotFound', 'expired');
    events.set(at.name, { ...known, ...(change.body as object) });
    return known;
  }) as KubeClient['patch'];
  let ids = 0;
  const newId = () => `id${++ids}`;
  const recorder = createEventRecorder({
    client: { create, patch },
    component: 'test',
    logger: createSilentLogger(),
    clock,
    newId,
  });
  return { clock, events, recorder, all: () => [...events.values()], fail: (error: KubeError) => (trouble = error) };
}

test('an event says who, what and of which object', async () => {
  const { recorder, all } = makeScene();
  recorder.record(object('web'), failed);
  await recorder.flush();
  expect(all()).toMatchObject([
    {
      metadata: { name: 'web.id1', namespace: 'team' },
      involvedObject: { kind: 'Pod', name: 'web', uid: 'uid-web' },
      ...failed,
      source: { component: 'test' },
      count: 1,
      firstTimestamp: '2026-01-01T00:00:00Z',
      lastTimestamp: '2026-01-01T00:00:00Z',
    },
  ]);
});

test('a repeated event counts up instead of making another', async () => {
  const { recorder, all, clock } = makeScene();
  for (let i = 0; i < 5; i++) {
    recorder.record(object('web'), failed);
    await clock.advance(1000);
  }
  recorder.record(object('web'), { ...failed, message: 'it broke differently' });
  recorder.record(object('db'), failed);
  await recorder.flush();
  expect(all().map(({ count }) => count)).toEqual([5, 1, 1]);
  expect(all()[0]).toMatchObject({ firstTimestamp: '2026-01-01T00:00:00Z', lastTimestamp: '2026-01-01T00:00:04Z' });
});

test('one that the server has dropped is made again with its count', async () => {
  const { recorder, all, events } = makeScene();
  recorder.record(object('web'), failed);
  await recorder.flush();
  events.clear();
  recorder.record(object('web'), failed);
  await recorder.flush();
  expect(all()).toMatchObject([{ count: 2 }]);
});

test('an object that says too much is cut off, others are heard', async () => {
  const { recorder, all, clock } = makeScene();
  for (let i = 0; i < 1000; i++) recorder.record(object('loud'), { ...failed, message: `${i}` });
  recorder.record(object('quiet'), failed);
  await recorder.flush();
  expect(all()).toHaveLength(26);
  await clock.advance(300_000);
  recorder.record(object('loud'), { ...failed, message: 'once more' });
  await recorder.flush();
  expect(all()).toHaveLength(27);
});

test('what cannot be written is given up without an error', async () => {
  const { recorder, fail, all } = makeScene();
  fail(new KubeError(403, 'Forbidden', 'the namespace is terminating'));
  recorder.record(object('web'), failed);
  await recorder.flush();
  expect(all()).toEqual([]);
});
