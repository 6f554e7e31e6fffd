import { expect, test } from 'vitest';
import type { KubeObject } from '../schema/object.ts';
import { DEPLOYMENT } from '../schema/resources.ts';
import { applyIfChanged, contains } from './apply.ts';
import type { KubeClient } from './client.ts';

const desired = (spec: object): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'team' },
  spec,
});

function makeClient() {
  const applied: KubeObject[] = [];
  const apply = (async (_type, object) => {
    applied.push(object);
    return object;
  }) as KubeClient['apply'];
  const run = (wanted: KubeObject, current: KubeObject | undefined) =>
    applyIfChanged({ apply }, DEPLOYMENT, {
      desired: wanted,
      current,
      fieldManager: 'test',
      hashAnnotation: 'test/applied',
    });
  return { run, applied };
}

test('what is missing is applied; the same again is not, whatever the server added', async () => {
  const { run, applied } = makeClient();
  const first = await run(desired({ replicas: 1 }), undefined);
  expect(first.changed).toBe(true);
  const stored = {
    ...first.object,
    spec: { replicas: 1, strategy: { type: 'RollingUpdate' } },
    status: { replicas: 1 },
  };
  const second = await run(desired({ replicas: 1 }), stored);
  expect(second).toEqual({ object: stored, changed: false });
  expect(applied).toHaveLength(1);
});

test('a field that is no longer wanted is noticed', async () => {
  const { run } = makeClient();
  const { object } = await run(desired({ replicas: 1, paused: true }), undefined);
  expect((await run(desired({ replicas: 1 }), object)).changed).toBe(true);
});

test('what somebody else moved is put back', async () => {
  const { run } = makeClient();
  const { object } = await run(desired({ replicas: 1 }), undefined);
  expect((await run(desired({ replicas: 1 }), { ...object, spec: { replicas: 5 } })).changed).toBe(true);
});

test.each<[unknown, unknown, boolean]>([
  [{ a: 1, b: 2 }, { a: 1 }, true],
  [{ a: 1 }, { a: 1, b: undefined }, true],
  [{ a: [{ x: 1, y: 2 }] }, { a: [{ x: 1 }] }, true],
  [{ a: [1, 2] }, { a: [1] }, false],
  [{ a: '1' }, { a: 1 }, false],
  [{}, { a: {} }, true],
  [{ a: null }, { a: { b: 1 } }, false],
  [undefined, { a: 1 }, false],
])('%j contains %j: %s', (current, wanted, expected) => {
  expect(contains(current, wanted)).toBe(expected);
});
