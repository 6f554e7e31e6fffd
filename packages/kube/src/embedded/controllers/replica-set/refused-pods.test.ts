import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ReplicaSet } from '../../../schema/kinds/workload.ts';
import { REPLICA_SET, RESOURCE_QUOTA } from '../../../schema/resources.ts';
import { eventually, startTestCluster, type TestCluster } from '../../testing/test-cluster.ts';

let test: TestCluster;
beforeAll(async () => {
  test = await startTestCluster();
});
afterAll(() => test.stop());

it('pods that a quota refuses are tried again with patience: the name of each attempt is no news', async () => {
  const namespace = await test.namespace('refused');
  const labels = { app: 'web' };
  await test.client.create(RESOURCE_QUOTA, {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name: 'none', namespace },
    spec: { hard: { pods: '0' } },
  });
  await test.client.create(REPLICA_SET, {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: { name: 'web', namespace },
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'test.dev/shell' }] } },
    },
  });
  const read = () => test.client.get<ReplicaSet>(REPLICA_SET, { namespace, name: 'web' });
  await eventually(async () => {
    expect((await read()).status?.conditions).toMatchObject([{ type: 'ReplicaFailure', reason: 'FailedCreate' }]);
  });
  const before = (await read()).metadata.resourceVersion;
  await delay(1500);
  expect((await read()).metadata.resourceVersion).toBe(before);
});
