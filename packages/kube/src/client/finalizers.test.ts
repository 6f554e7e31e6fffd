import { expect, test } from 'vitest';
import type { KubeObject } from '../schema/object.ts';
import { DEPLOYMENT } from '../schema/resources.ts';
import { KubeError } from '../schema/status.ts';
import type { KubeClient } from './client.ts';
import { addFinalizer, hasFinalizer, removeFinalizer } from './finalizers.ts';

const plain: KubeObject = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'team', resourceVersion: '7' },
};
const guarded: KubeObject = { ...plain, metadata: { ...plain.metadata, finalizers: ['theirs', 'ours'] } };

function makeClient(error?: KubeError) {
  const bodies: unknown[] = [];
  const patch = (async (_type, _at, change) => {
    if (error) throw error;
    bodies.push(change.body);
    return { ...plain, metadata: { ...plain.metadata, ...(change.body as { metadata: object }).metadata } };
  }) as KubeClient['patch'];
  return { client: { patch }, bodies };
}

test('adding keeps the others and names the version', async () => {
  const { client, bodies } = makeClient();
  const object = { ...plain, metadata: { ...plain.metadata, finalizers: ['theirs'] } };
  const result = await addFinalizer(client, DEPLOYMENT, { object, finalizer: 'ours' });
  expect(bodies).toEqual([{ metadata: { resourceVersion: '7', finalizers: ['theirs', 'ours'] } }]);
  expect(hasFinalizer(result, 'ours')).toBe(true);
});

test('removing leaves the others', async () => {
  const { client, bodies } = makeClient();
  await removeFinalizer(client, DEPLOYMENT, { object: guarded, finalizer: 'ours' });
  expect(bodies).toEqual([{ metadata: { resourceVersion: '7', finalizers: ['theirs'] } }]);
});

test('what is so already costs no request', async () => {
  const { client, bodies } = makeClient();
  await addFinalizer(client, DEPLOYMENT, { object: guarded, finalizer: 'ours' });
  await removeFinalizer(client, DEPLOYMENT, { object: plain, finalizer: 'ours' });
  expect(bodies).toEqual([]);
});

test('removing from what is gone is done; a conflict is passed on', async () => {
  const gone = makeClient(new KubeError(404, 'NotFound', 'gone'));
  await removeFinalizer(gone.client, DEPLOYMENT, { object: guarded, finalizer: 'ours' });
  const conflict = makeClient(new KubeError(409, 'Conflict', 'modified'));
  await expect(
    removeFinalizer(conflict.client, DEPLOYMENT, { object: guarded, finalizer: 'ours' }),
  ).rejects.toMatchObject({ code: 409 });
});
