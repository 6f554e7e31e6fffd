import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Pod } from '../../../schema/kinds/pod.ts';
import { POD } from '../../../schema/resources.ts';
import { eventually, podLog, startTestCluster, type TestCluster } from '../../testing/test-cluster.ts';

let test: TestCluster;
let namespace: string;
beforeAll(async () => {
  test = await startTestCluster({ timings: { restart: { baseMs: 60_000, maxMs: 60_000, resetMs: 60_000 } } });
  namespace = await test.namespace('logs');
});
afterAll(() => test.stop());

async function startPod(name: string, script: string): Promise<void> {
  await test.client.create<Pod>(POD, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace },
    spec: {
      terminationGracePeriodSeconds: 0,
      containers: [{ name: 'main', image: 'test.dev/shell', args: [script] }],
    },
  });
}

describe.concurrent('the log of a pod', () => {
  it('before the last restart is that of the attempt whose end the status tells', async () => {
    await startPod('crash', 'date +%N; exit 1');
    await eventually(async () => {
      const [status] = (await test.client.get<Pod>(POD, { namespace, name: 'crash' })).status?.containerStatuses ?? [];
      expect(status).toMatchObject({ restartCount: 1, state: { waiting: { reason: 'CrashLoopBackOff' } } });
    });
    // It waits for its next start: what ran last is the current one and the previous one at once.
    const last = await podLog(test.client, namespace, 'crash');
    expect(last).toMatch(/^\d+\n$/);
    expect(await podLog(test.client, namespace, 'crash', '?previous=true')).toBe(last);
  });

  it('has none before the first restart', async () => {
    await startPod('calm', 'echo one; exec sleep 600');
    await eventually(async () => expect(await podLog(test.client, namespace, 'calm')).toBe('one\n'));
    const refused = JSON.parse(await podLog(test.client, namespace, 'calm', '?previous=true')) as { message: string };
    expect(refused.message).toBe('previous terminated container "main" in pod "calm" not found');
  });

  it('that is followed ends at the limit', async () => {
    await startPod('long', 'while :; do echo 0123456789; sleep 0.05; done');
    await eventually(async () => expect(await podLog(test.client, namespace, 'long')).toMatch(/^0123/));
    expect((await podLog(test.client, namespace, 'long', '?follow=true&limitBytes=100')).length).toBe(100);
  });

  it.each([
    ['sinceSeconds=0', 'sinceSeconds: Invalid value: 0: must be greater than 0'],
    ['limitBytes=0', 'limitBytes: Invalid value: 0: must be greater than 0'],
    ['tailLines=-1', 'tailLines: Invalid value: -1: must be greater than or equal to 0'],
    ['sinceTime=yesterday', 'sinceTime: "yesterday" is not a time'],
    ['sinceSeconds=1&sinceTime=2026-01-01T00:00:00Z', 'at most one of `sinceTime` or `sinceSeconds` may be specified'],
  ])('is refused with %s', async (query, problem) => {
    await eventually(() => test.client.get(POD, { namespace, name: 'calm' }));
    const refused = JSON.parse(await podLog(test.client, namespace, 'calm', `?${query}`)) as { message: string };
    expect(refused.message).toContain(problem);
  });
});
