import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Job } from '../../../schema/kinds/batch.ts';
import type { Pod } from '../../../schema/kinds/pod.ts';
import { JOB, POD } from '../../../schema/resources.ts';
import { isKubeError } from '../../../schema/status.ts';
import { eventually, podsIn, startTestCluster, type TestCluster } from '../../testing/test-cluster.ts';

let test: TestCluster;
beforeAll(async () => {
  test = await startTestCluster({
    timings: {
      restart: { baseMs: 100, maxMs: 500, resetMs: 60_000 },
      jobRetry: { baseMs: 100, maxMs: 500 },
      pollMs: 50,
    },
  });
});
afterAll(() => test.stop());

function shellJob(name: string, namespace: string, script: string, spec: Partial<Job['spec']> = {}): Job {
  const { template, ...rest } = spec;
  const containers = [{ name: 'main', image: 'test.dev/shell', args: [script] }];
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, namespace },
    spec: {
      template: { spec: { restartPolicy: 'Never', terminationGracePeriodSeconds: 1, containers, ...template?.spec } },
      ...rest,
    },
  };
}

const get = (namespace: string, name: string) => test.client.get<Job>(JOB, { namespace, name });

const until = (namespace: string, name: string, condition: string) =>
  eventually(async () => {
    const job = await get(namespace, name);
    const found = job.status?.conditions?.find(({ type, status }) => type === condition && status === 'True');
    expect(found, JSON.stringify(job.status)).toBeDefined();
    return { job, reason: found?.reason };
  });

describe.concurrent('a Job', () => {
  it('runs to its end, once, and its pods stay to be read', async () => {
    const namespace = await test.namespace('once');
    await test.client.create(JOB, shellJob('work', namespace, 'echo done'));
    const { job, reason } = await until(namespace, 'work', 'Complete');
    expect(reason).toBe('CompletionsReached');
    expect(job.status).toMatchObject({ succeeded: 1, completionTime: expect.any(String) });
    expect(job.status?.conditions?.map(({ type }) => type)).toEqual(['SuccessCriteriaMet', 'Complete']);
    const pods = await podsIn<Pod>(test.client, namespace);
    expect(pods.map(({ status, metadata }) => [status?.phase, metadata.finalizers])).toEqual([
      ['Succeeded', undefined],
    ]);
  });

  it('that fails is tried again as often as it may, and counts each failure once', async () => {
    const namespace = await test.namespace('fails');
    await test.client.create(JOB, shellJob('work', namespace, 'exit 3', { backoffLimit: 2 }));
    const { job, reason } = await until(namespace, 'work', 'Failed');
    expect(reason).toBe('BackoffLimitExceeded');
    expect(job.status).toMatchObject({ failed: 3 });
    expect(job.status?.succeeded ?? 0).toBe(0);
    expect(await podsIn(test.client, namespace)).toHaveLength(3);
  });

  it('restarts in its pod when it should, and gives up there too', async () => {
    const namespace = await test.namespace('restarts');
    const template = { spec: { restartPolicy: 'OnFailure' } } as Job['spec']['template'];
    await test.client.create(JOB, shellJob('gives-up', namespace, 'exit 1', { backoffLimit: 1, template }));
    const script = 'test -e tmp/again && exit 0; touch tmp/again; exit 1';
    await test.client.create(JOB, shellJob('recovers', namespace, script, { template }));
    expect((await until(namespace, 'gives-up', 'Failed')).reason).toBe('BackoffLimitExceeded');
    const { job } = await until(namespace, 'recovers', 'Complete');
    expect(job.status).toMatchObject({ succeeded: 1 });
    expect(job.status?.failed ?? 0).toBe(0);
  });

  it('that takes too long is ended', async () => {
    const namespace = await test.namespace('late');
    await test.client.create(JOB, shellJob('work', namespace, 'sleep 100', { activeDeadlineSeconds: 1 }));
    const { job, reason } = await until(namespace, 'work', 'Failed');
    expect(reason).toBe('DeadlineExceeded');
    expect(job.status).toMatchObject({ failed: 1 });
    expect(await podsIn(test.client, namespace)).toEqual([]);
  });

  it('runs several at a time, until so many have succeeded', async () => {
    const namespace = await test.namespace('several');
    const spec = { completions: 5, parallelism: 2 };
    await test.client.create(JOB, shellJob('work', namespace, 'sleep 0.1', spec));
    const { job } = await until(namespace, 'work', 'Complete');
    expect(job.status).toMatchObject({ succeeded: 5 });
    expect(await podsIn(test.client, namespace)).toHaveLength(5);
  });

  it('waits while it is suspended, and ends its pods when it becomes so', async () => {
    const namespace = await test.namespace('suspended');
    const made = await test.client.create(JOB, shellJob('work', namespace, 'sleep 0.5', { suspend: true }));
    await until(namespace, 'work', 'Suspended');
    expect(await podsIn(test.client, namespace)).toEqual([]);
    const suspend = (value: boolean) =>
      test.client.patch(JOB, { namespace, name: 'work' }, { type: 'merge', body: { spec: { suspend: value } } });
    await suspend(false);
    await eventually(async () => expect(await podsIn(test.client, namespace)).toHaveLength(1));
    await suspend(true);
    await eventually(async () => expect(await podsIn(test.client, namespace)).toEqual([]));
    await suspend(false);
    const { job } = await until(namespace, 'work', 'Complete');
    expect(job.metadata.uid).toBe(made.metadata.uid);
  });

  it('whose pod is deleted makes another', async () => {
    const namespace = await test.namespace('deleted-pod');
    await test.client.create(JOB, shellJob('work', namespace, 'sleep 1'));
    const first = await eventually(async () => {
      const [pod] = await podsIn<Pod>(test.client, namespace);
      expect(pod?.status?.phase).toBe('Running');
      return pod!;
    });
    await test.client.delete(POD, { namespace, name: first.metadata.name });
    const { job } = await until(namespace, 'work', 'Complete');
    expect(job.status).toMatchObject({ succeeded: 1, failed: 1 });
  });

  it('goes with its pods: by hand, and by itself when its time is up', async () => {
    const namespace = await test.namespace('goes');
    await test.client.create(JOB, shellJob('running', namespace, 'sleep 100'));
    await eventually(async () => expect(await podsIn(test.client, namespace)).toHaveLength(1));
    await test.client.delete(JOB, { namespace, name: 'running' }, { propagationPolicy: 'Foreground' });
    await test.client.create(JOB, shellJob('brief', namespace, 'true', { ttlSecondsAfterFinished: 0 }));
    await eventually(async () => {
      for (const name of ['running', 'brief'])
        expect(await get(namespace, name).catch((error: unknown) => isKubeError(error, 'NotFound'))).toBe(true);
      expect(await podsIn(test.client, namespace)).toEqual([]);
    });
  });
});
