import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Pod } from '../schema/kinds/pod.ts';
import type { Service } from '../schema/kinds/service.ts';
import type { Deployment, ReplicaSet } from '../schema/kinds/workload.ts';
import type { KubeObject } from '../schema/object.ts';
import {
  CONFIG_MAP,
  DEPLOYMENT,
  EVENT,
  NAMESPACE,
  PERSISTENT_VOLUME,
  PERSISTENT_VOLUME_CLAIM,
  POD,
  REPLICA_SET,
  SECRET,
  SERVICE,
} from '../schema/resources.ts';
import { isKubeError } from '../schema/status.ts';
import { eventually, listIn, podLog, podsIn, startTestCluster, type TestCluster } from './testing/test-cluster.ts';

let test: TestCluster;
beforeAll(async () => {
  test = await startTestCluster();
});
afterAll(() => test.stop());

const whoami = (
  name: string,
  namespace: string,
  change: { replicas?: number; env?: { name: string; value: string }[] } = {},
) =>
  ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace },
    spec: {
      replicas: change.replicas ?? 1,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: {
          containers: [
            {
              name: 'web',
              image: 'test.dev/whoami:1',
              env: change.env ?? [],
              ports: [{ name: 'http', containerPort: 8080 }],
              readinessProbe: { httpGet: { path: '/healthz', port: 'http' }, periodSeconds: 1 },
            },
          ],
        },
      },
    },
  }) as Deployment;

const service = (name: string, namespace: string, spec: Partial<Service['spec']> = {}): Service => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace },
  spec: { selector: { app: name }, ports: [{ name: 'http', port: 80, targetPort: 'http' }], ...spec },
});

const shellPod = (name: string, namespace: string, script: string, spec: Partial<Pod['spec']> = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace },
  spec: {
    restartPolicy: 'Never',
    terminationGracePeriodSeconds: 2,
    containers: [{ name: 'main', image: 'test.dev/shell', args: [script] }],
    ...spec,
  },
});

const phaseOf = async (namespace: string, name: string) =>
  (await test.client.get<Pod>(POD, { namespace, name })).status?.phase;

async function available(namespace: string, name: string, replicas: number): Promise<Deployment> {
  return eventually(async () => {
    const found = await test.client.get<Deployment>(DEPLOYMENT, { namespace, name });
    expect(found.status?.availableReplicas, JSON.stringify(found.status)).toBe(replicas);
    expect(found.status?.observedGeneration).toBe(found.metadata.generation);
    return found;
  });
}

/** What a pod in the namespace hears when it asks these addresses. */
async function fetchInside({ client }: TestCluster, namespace: string, urls: string[]): Promise<string> {
  const pod = shellPod('asks', namespace, '');
  pod.spec.containers = [{ name: 'main', image: 'test.dev/fetch', args: urls }];
  await client.create(POD, pod);
  await eventually(async () => {
    const { status } = await client.get<Pod>(POD, { namespace, name: 'asks' });
    expect(status?.phase, JSON.stringify(status?.containerStatuses)).toBe('Succeeded');
  });
  return podLog(client, namespace, 'asks');
}

describe.concurrent('an embedded cluster', () => {
  it('serves a Deployment by its Service, at its address and by its names from another pod', async () => {
    const namespace = await test.namespace('serve');
    await test.client.create(DEPLOYMENT, whoami('hello', namespace, { replicas: 2 }));
    const made = await test.client.create(SERVICE, service('hello', namespace));
    await available(namespace, 'hello', 2);
    const seen = new Set<string>();
    await eventually(async () => {
      const answer = await fetch(`http://${made.spec.clusterIP}/api`, { headers: { connection: 'close' } });
      seen.add(((await answer.json()) as { hostname: string }).hostname);
      expect(seen.size).toBe(2);
    });
    const pods = await podsIn<Pod>(test.client, namespace);
    expect(new Set(pods.map((pod) => pod.status?.podIP)).size).toBe(2);
    expect(pods.map((pod) => pod.metadata.name).sort()).toEqual([...seen].sort());
    const names = ['hello', 'hello.serve', 'hello.serve.svc', 'hello.serve.svc.cluster.local'];
    const urls = names.map((name) => `http://${name}/healthz`);
    expect(await fetchInside(test, namespace, urls)).toBe('ok\n\n'.repeat(4));
  });

  it('keeps what is written in a database over the end of its pods', async () => {
    const namespace = await test.namespace('guests');
    await test.client.create(PERSISTENT_VOLUME_CLAIM, {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'data', namespace },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    });
    await test.client.create(SECRET, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'database', namespace },
      data: { password: Buffer.from('$2a$12$mSN$(A)\'"').toString('base64') },
    });
    const password = { secretKeyRef: { name: 'database', key: 'password' } };
    const database = whoami('database', namespace);
    database.spec.strategy = { type: 'Recreate' };
    database.spec.template.spec = {
      containers: [
        {
          name: 'postgres',
          image: 'test.dev/postgres',
          env: [
            { name: 'POSTGRES_USER', value: 'book' },
            { name: 'POSTGRES_PASSWORD', valueFrom: password },
          ],
          ports: [{ name: 'sql', containerPort: 5432 }],
          readinessProbe: { tcpSocket: { port: 'sql' }, periodSeconds: 1 },
          volumeMounts: [{ name: 'data', mountPath: '/var/lib/postgresql/data' }],
        },
      ],
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
    };
    const book = whoami('book', namespace);
    Object.assign(book.spec.template.spec.containers[0]!, {
      image: 'test.dev/guestbook',
      env: [
        { name: 'DATABASE_HOST', value: 'database.guests.svc.cluster.local' },
        { name: 'DATABASE_USER', value: 'book' },
        { name: 'DATABASE_NAME', value: 'book' },
        { name: 'DATABASE_PASSWORD', valueFrom: password },
      ],
      readinessProbe: { httpGet: { path: '/readyz', port: 'http' }, periodSeconds: 1 },
    });
    await test.client.create(
      SERVICE,
      service('database', namespace, { ports: [{ name: 'sql', port: 5432, targetPort: 'sql' }] }),
    );
    await test.client.create(DEPLOYMENT, database);
    await test.client.create(DEPLOYMENT, book);
    const made = await test.client.create(SERVICE, service('book', namespace));
    await available(namespace, 'book', 1);
    const url = `http://${made.spec.clusterIP}/entries`;
    const post = (message: string) =>
      fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ message }),
      });
    expect((await eventually(() => post('before'))).status).toBe(201);
    for (const pod of await podsIn<Pod>(test.client, namespace)) {
      await test.client.delete(POD, { namespace, name: pod.metadata.name }, { gracePeriodSeconds: 5 });
    }
    await eventually(async () => {
      const { entries } = (await (await fetch(url)).json()) as { entries: { message: string }[] };
      expect(entries.map(({ message }) => message)).toEqual(['before']);
    }, 25_000);
  });

  it('delivers values byte for byte by every way there is', async () => {
    const namespace = await test.namespace('bytes');
    const values: Record<string, string> = {
      PASSWORD_HASH: '$2a$12$mSNGEiOT7urQP/Xs10XzPur',
      A: 'dsfla83hkh$ksdhc',
      PEM: '-----BEGIN-----\nMIIB\n-----END-----\n',
      LINE: '-----BEGIN-----\\nMIIB\\n-----END-----\\n',
      CRLF: 'a\r\nb\r\n',
      ODD: "array:'self',blob:,https://*",
      EMOJI: '\u{1f600} # =',
      EQUALS: '=x',
    };
    const data = Object.fromEntries(
      Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
    );
    await test.client.create(SECRET, { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'all', namespace }, data });
    await test.client.create(CONFIG_MAP, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'all', namespace },
      data: values,
    });
    const deployment = whoami('bytes', namespace, {
      env: [
        { name: 'SHOW_ENV', value: 'true' },
        { name: 'B', value: '$(MAP_A)' },
        { name: 'C', value: '$$(MAP_A)' },
      ],
    });
    deployment.spec.template.spec.containers[0]!.envFrom = [
      { secretRef: { name: 'all' } },
      { prefix: 'MAP_', configMapRef: { name: 'all' } },
    ];
    await test.client.create(DEPLOYMENT, deployment);
    const made = await test.client.create(SERVICE, service('bytes', namespace));
    await available(namespace, 'bytes', 1);
    const shown = await eventually(async () => {
      const answer = await fetch(`http://${made.spec.clusterIP}/env?encoding=base64`);
      return (await answer.json()) as Record<string, string>;
    });
    const seen = (name: string) => Buffer.from(shown[name] ?? '', 'base64').toString('utf8');
    for (const [key, value] of Object.entries(values)) {
      expect([key, seen(key), seen(`MAP_${key}`)]).toEqual([key, value, value]);
    }
    expect([seen('B'), seen('C')]).toEqual(['dsfla83hkh$ksdhc', '$(MAP_A)']);
  });

  it('rolls out a new template without a moment without an available pod, and remembers the old', async () => {
    const namespace = await test.namespace('roll');
    await test.client.create(DEPLOYMENT, whoami('app', namespace, { replicas: 2 }));
    await available(namespace, 'app', 2);
    const spec = { template: whoami('app', namespace, { env: [{ name: 'GREETING', value: 'new' }] }).spec.template };
    await test.client.patch(DEPLOYMENT, { namespace, name: 'app' }, { type: 'merge', body: { spec } });
    const least: number[] = [];
    await eventually(async () => {
      const found = await test.client.get<Deployment>(DEPLOYMENT, { namespace, name: 'app' });
      least.push(found.status?.availableReplicas ?? 0);
      expect(found.status).toMatchObject({ updatedReplicas: 2, availableReplicas: 2, replicas: 2 });
      expect(found.status?.observedGeneration).toBe(found.metadata.generation);
    });
    expect(Math.min(...least)).toBeGreaterThanOrEqual(2);
    const sets = await listIn<ReplicaSet>(test.client, REPLICA_SET, namespace);
    expect(sets.map((set) => set.spec.replicas).sort()).toEqual([0, 2]);
    const events = await eventually(async () => {
      const found = (await listIn<KubeObject & { reason: string }>(test.client, EVENT, namespace)).map(
        ({ reason }) => reason,
      );
      expect(found).toEqual(expect.arrayContaining(['ScalingReplicaSet', 'SuccessfulCreate', 'Scheduled', 'Started']));
      return found;
    });
    expect(events).toContain('Killing');
  });

  it('restarts what crashes, with a wait that grows', async () => {
    const namespace = await test.namespace('crash');
    await test.client.create(POD, shellPod('loop', namespace, 'echo attempt; exit 3', { restartPolicy: 'Always' }));
    await eventually(async () => {
      const [status] = (await test.client.get<Pod>(POD, { namespace, name: 'loop' })).status?.containerStatuses ?? [];
      expect(status?.state.waiting?.reason).toBe('CrashLoopBackOff');
      expect(status?.lastState.terminated).toMatchObject({ exitCode: 3, reason: 'Error' });
      expect(status?.restartCount).toBeGreaterThanOrEqual(2);
    });
    expect(await podLog(test.client, namespace, 'loop', '?previous=true')).toBe('attempt\n');
  });

  it('runs init containers in order, and tells logs and exit codes', async () => {
    const namespace = await test.namespace('init');
    const mounts = { volumeMounts: [{ name: 'work', mountPath: '/work' }] };
    const init = (name: string) => ({
      name,
      image: 'test.dev/shell',
      args: [`echo ${name} >> $HOME/work/order`],
      ...mounts,
    });
    const pod = shellPod('steps', namespace, '', {
      initContainers: [init('one'), init('two')],
      containers: [{ name: 'main', image: 'test.dev/shell', args: ['cat $HOME/work/order; exit 0'], ...mounts }],
      volumes: [{ name: 'work', emptyDir: {} }],
    });
    await test.client.create(POD, pod);
    await eventually(async () => expect(await phaseOf(namespace, 'steps')).toBe('Succeeded'));
    expect(await podLog(test.client, namespace, 'steps')).toBe('one\ntwo\n');
  });

  it('says of a foreign image what this node has and what to do', async () => {
    const namespace = await test.namespace('foreign');
    const pod = shellPod('nginx', namespace, '');
    pod.spec.containers[0]!.image = 'nginx:1.29';
    await test.client.create(POD, pod);
    const waiting = await eventually(async () => {
      const [status] = (await test.client.get<Pod>(POD, { namespace, name: 'nginx' })).status?.containerStatuses ?? [];
      expect(status?.state.waiting?.reason).toMatch(/^(ErrImagePull|ImagePullBackOff)$/);
      return status?.state.waiting;
    });
    expect(waiting?.message).toMatch(/no container engine.*test\.dev\/whoami.*kubeconfig/);
  });

  it('leaves no process, folder or volume of a namespace that is deleted', async () => {
    const namespace = await test.namespace('gone');
    await test.client.create(PERSISTENT_VOLUME_CLAIM, {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'data', namespace },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    });
    const pod = shellPod('holder', namespace, 'echo $$$$; exec sleep 600', {
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
    });
    pod.spec.containers[0]!.volumeMounts = [{ name: 'data', mountPath: '/data' }];
    await test.client.create(POD, pod);
    await eventually(async () => expect(await phaseOf(namespace, 'holder')).toBe('Running'));
    const uid = (await test.client.get(POD, { namespace, name: 'holder' })).metadata.uid!;
    const pid = await eventually(async () => {
      const text = await podLog(test.client, namespace, 'holder');
      expect(text).toMatch(/^\d+\n$/);
      return Number(text);
    });
    await test.client.delete(PERSISTENT_VOLUME_CLAIM, { namespace, name: 'data' });
    // In use: the claim waits for its pod.
    expect(
      (await test.client.get(PERSISTENT_VOLUME_CLAIM, { namespace, name: 'data' })).metadata.deletionTimestamp,
    ).toBeDefined();
    await test.client.delete(NAMESPACE, { name: namespace });
    await eventually(async () => {
      const gone = await test.client.get(NAMESPACE, { name: namespace }).then(
        () => false,
        (error: unknown) => isKubeError(error, 'NotFound'),
      );
      expect(gone).toBe(true);
    });
    expect(existsSync(`/proc/${pid}`)).toBe(false);
    await eventually(async () => {
      expect(existsSync(join(test.directory, 'pods', uid))).toBe(false);
      const claimed = (
        await listIn<KubeObject & { spec: { claimRef?: { namespace: string } } }>(test.client, PERSISTENT_VOLUME, '')
      ).filter(({ spec }) => spec.claimRef?.namespace === namespace);
      expect(claimed).toEqual([]);
      expect(readdirSync(join(test.directory, 'volumes')).length).toBeLessThanOrEqual(1);
    });
  });

  it('removes a Deployment with all it made, and keeps orphans when asked', async () => {
    const namespace = await test.namespace('owned');
    await test.client.create(DEPLOYMENT, whoami('a', namespace));
    await test.client.create(DEPLOYMENT, whoami('b', namespace));
    await available(namespace, 'a', 1);
    await available(namespace, 'b', 1);
    await test.client.delete(DEPLOYMENT, { namespace, name: 'a' }, { propagationPolicy: 'Foreground' });
    await test.client.delete(DEPLOYMENT, { namespace, name: 'b' }, { propagationPolicy: 'Orphan' });
    await eventually(async () => {
      expect(await listIn(test.client, DEPLOYMENT, namespace)).toEqual([]);
      const sets = await listIn<ReplicaSet>(test.client, REPLICA_SET, namespace);
      expect(sets.map((set) => set.metadata.labels?.app)).toEqual(['b']);
      expect(sets[0]?.metadata.ownerReferences ?? []).toEqual([]);
      const pods = await podsIn<Pod>(test.client, namespace);
      expect(pods.map((pod) => pod.metadata.labels?.app)).toEqual(['b']);
    });
  });
});

describe('on a machine with one loopback address', () => {
  it('pods share it, each on ports of its own, and reach Services by name and address all the same', async () => {
    const shared = await startTestCluster({ addressMode: 'shared' });
    try {
      const namespace = await shared.namespace('shared');
      await shared.client.create(DEPLOYMENT, whoami('one', namespace, { replicas: 2 }));
      const made = await shared.client.create(SERVICE, service('one', namespace));
      await eventually(async () => {
        const found = await shared.client.get<Deployment>(DEPLOYMENT, { namespace, name: 'one' });
        expect(found.status?.availableReplicas).toBe(2);
      });
      const urls = [`http://one/healthz`, `http://${made.spec.clusterIP}/healthz`];
      expect(await fetchInside(shared, namespace, urls)).toBe('ok\n\nok\n\n');
      const pods = await podsIn<Pod>(shared.client, namespace);
      expect(new Set(pods.map((pod) => pod.status?.podIP))).toEqual(new Set(['127.0.0.1']));
    } finally {
      await shared.stop();
    }
  });
});
