import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { NodeMetrics, PodMetrics } from '../../../schema/kinds/metrics.ts';
import type { Pod } from '../../../schema/kinds/pod.ts';
import { quantityNumber } from '../../../schema/quantity.ts';
import { EVENT, NODE_METRICS, POD, POD_METRICS } from '../../../schema/resources.ts';
import { isKubeError } from '../../../schema/status.ts';
import { findKubectl, startKubectl } from '../../api/testing/kubectl.ts';
import { startTestServer } from '../../api/testing/start-test-server.ts';
import { eventually, startTestCluster, type TestCluster } from '../../testing/test-cluster.ts';
import { hasProcessTable } from '../process/process-table.ts';

const kubectlProgram = findKubectl(process.env);
const MIB = 2 ** 20;
let test: TestCluster;
beforeAll(async () => {
  const restart = { baseMs: 200, maxMs: 1000, resetMs: 60_000 };
  test = await startTestCluster({ timings: { restart, pollMs: 50, measuring: { sampleMs: 700, limitMs: 300 } } });
});
afterAll(() => test.stop());

const program = (name: string, namespace: string, script: string, memory?: string): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace, labels: { app: name } },
  spec: {
    terminationGracePeriodSeconds: 0,
    containers: [
      {
        name: 'main',
        image: 'test.dev/shell',
        args: ['exec "$NODE" -e "$PROGRAM"'],
        env: [
          { name: 'NODE', value: process.execPath },
          { name: 'PROGRAM', value: script },
        ],
        ...(memory ? { resources: { limits: { memory } } } : {}),
      },
    ],
  },
});
const metricsOf = (namespace: string, name: string) => test.client.get<PodMetrics>(POD_METRICS, { namespace, name });

describe.runIf(hasProcessTable).concurrent('what pods use', () => {
  it('is measured: the processor that spins, the memory that is held, children counted in', async () => {
    const namespace = await test.namespace('use');
    const child = 'const held = Buffer.alloc(60 * 2 ** 20, 1); setInterval(() => held[0]++, 1000)';
    const script = `
      require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(child)}], { detached: true });
      const spin = () => { const until = Date.now() + 40; while (Date.now() < until); setTimeout(spin, 60); };
      spin();`;
    await test.client.create(POD, program('busy', namespace, script));
    await test.client.create(POD, program('idle', namespace, 'setInterval(() => undefined, 1000)'));
    await eventually(async () => {
      const [busy, idle] = await Promise.all([metricsOf(namespace, 'busy'), metricsOf(namespace, 'idle')]);
      const [usage, other] = [busy.containers[0]!.usage, idle.containers[0]!.usage];
      expect(quantityNumber(usage.cpu)).toBeGreaterThan(0.1);
      expect(quantityNumber(usage.cpu)).toBeLessThan(0.9);
      expect(quantityNumber(other.cpu)).toBeLessThan(0.1);
      expect(quantityNumber(usage.memory)).toBeGreaterThan(60 * MIB);
      expect(quantityNumber(usage.memory)).toBeLessThan(140 * MIB);
      expect(quantityNumber(other.memory)).toBeLessThan(40 * MIB);
      expect(busy.window).toMatch(/^0\.[6-9]\d\ds$|^[1-3]\.\d\d\ds$/);
      expect(Math.abs(Date.parse(busy.timestamp) - Date.now())).toBeLessThan(5000);
    });
    const { items } = await test.client.list<PodMetrics>(POD_METRICS, { namespace, labelSelector: 'app=idle' });
    expect(items.map(({ metadata }) => metadata.name)).toEqual(['idle']);
    const [node] = (await test.client.list<NodeMetrics>(NODE_METRICS)).items;
    expect(quantityNumber(node!.usage.cpu)).toBeGreaterThan(0.1);
    expect(quantityNumber(node!.usage.memory)).toBeGreaterThan(100 * MIB);
  });

  it.skipIf(!kubectlProgram)('is what kubectl top prints', async () => {
    const namespace = await test.namespace('top');
    await test.client.create(POD, program('idle', namespace, 'setInterval(() => undefined, 1000)'));
    await eventually(() => metricsOf(namespace, 'idle'));
    const kubectl = await startKubectl(kubectlProgram!, readFileSync(test.cluster.kubeconfigPath, 'utf8'));
    expect(await kubectl.run('-n top top pods --containers')).toMatch(/^POD +NAME +CPU.*\nidle +main +\d+m +\d+Mi/);
    expect(await kubectl.run('top nodes')).toMatch(/embedded +\d+m +\d+% +\d+Mi +\d+%/);
    await kubectl.stop();
  });

  it('ends a container above its memory limit, says so, and starts it again', async () => {
    const namespace = await test.namespace('limit');
    const script = `
      const held = [];
      setInterval(() => held.push(Buffer.alloc(4 * 2 ** 20, 1)), 20);`;
    await test.client.create(POD, program('greedy', namespace, script, '96Mi'));
    const modest = 'const held = Buffer.alloc(40 * 2 ** 20, 1); setInterval(() => held[0]++, 100)';
    await test.client.create(POD, program('modest', namespace, modest, '96Mi'));
    await eventually(async () => {
      const [status] = (await test.client.get<Pod>(POD, { namespace, name: 'greedy' })).status?.containerStatuses ?? [];
      expect(status?.lastState.terminated).toMatchObject({ reason: 'OOMKilled', exitCode: 137 });
      expect(status?.lastState.terminated?.message).toMatch(/held \d+ MiB of memory, more than its limit of 96 MiB/);
      expect(status?.restartCount).toBeGreaterThanOrEqual(1);
    });
    const [status] = (await test.client.get<Pod>(POD, { namespace, name: 'modest' })).status?.containerStatuses ?? [];
    expect(status).toMatchObject({ restartCount: 0, ready: true });
    await eventually(async () => {
      const { items } = await test.client.list(EVENT, { namespace });
      expect(items.map(({ reason }) => reason)).toContain('OOMKilling');
    });
  });

  it('ends a container whose memory is held by what left it', async () => {
    const namespace = await test.namespace('left');
    const held = 'const held = Buffer.alloc(150 * 2 ** 20, 1); setInterval(() => held[0]++, 1000)';
    const between = `require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(held)}], { detached: true, stdio: 'ignore' }).unref()`;
    const script = `
      require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(between)}], { detached: true, stdio: 'ignore' });
      setInterval(() => undefined, 1000);`;
    await test.client.create(POD, program('sly', namespace, script, '96Mi'));
    await eventually(async () => {
      const [status] = (await test.client.get<Pod>(POD, { namespace, name: 'sly' })).status?.containerStatuses ?? [];
      expect(status?.lastState.terminated).toMatchObject({ reason: 'OOMKilled' });
    });
  });
});

it('is not served at all where nothing can be measured', async () => {
  const server = await startTestServer();
  const answer = await server.raw({ method: 'GET', path: '/apis/metrics.k8s.io/v1beta1/nodes' });
  expect(answer.status).toBe(404);
  const groups = await server.raw({ method: 'GET', path: '/apis' });
  expect(groups.text).not.toContain('metrics.k8s.io');
  await server.close();
});

it('is said to be missing of a pod that is not there', async () => {
  const missing = await metricsOf('default', 'nothing').catch((error: unknown) => error);
  expect(isKubeError(missing, 'NotFound')).toBe(true);
});
