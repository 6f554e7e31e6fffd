import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createKubeClient } from '@berth/kube/client/http-client';
import { loadKubeConfig } from '@berth/kube/client/kubeconfig';
import type { KubeObject, ResourceType } from '@berth/kube/schema/object';
import { NAMESPACE, PERSISTENT_VOLUME, PERSISTENT_VOLUME_CLAIM, POD } from '@berth/kube/schema/resources';
import { isKubeError } from '@berth/kube/schema/status';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ClusterFile } from './cluster-file.ts';
import { until } from './until.ts';
import type { Claim, Volume } from './volume.ts';

const NAME = 'volumes-try';
const WITHIN_MS = 120_000;
const { kubeconfig, dir } = JSON.parse(
  readFileSync(join(process.env.BERTH_TEST_CLUSTER ?? '', 'cluster.json'), 'utf8'),
) as ClusterFile;
const client = createKubeClient(await loadKubeConfig({ path: kubeconfig }));

/** The part `volumes` on a cluster that is up and has the images: it is to be as strict as a disk elsewhere. */
describe('the storage class of the cluster for tests', () => {
  beforeAll(() => client.create(NAMESPACE, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAME } }));
  afterAll(async () => {
    await client.delete(NAMESPACE, { name: NAME });
    await client.close();
  });

  it('makes a volume when a pod wants it, writable for its fsGroup alone', async () => {
    const metadata = { name: 'data', namespace: NAME };
    const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
    await client.create(PERSISTENT_VOLUME_CLAIM, { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata, spec });
    await client.create(POD, writer('without', {}));
    await becomes(POD, 'without', ({ status }) => phase(status) === 'Failed');
    await client.create(POD, writer('with', { fsGroup: 10001 }));
    await becomes(POD, 'with', ({ status }) => phase(status) === 'Succeeded');
    expect(readFileSync(join((await volume()).spec.local!.path, 'file'), 'utf8')).toBe('kept\n');
  });

  it('lets it grow', async () => {
    const body = { spec: { resources: { requests: { storage: '2Gi' } } } };
    await client.patch(PERSISTENT_VOLUME_CLAIM, { name: 'data', namespace: NAME }, { type: 'merge', body });
    await becomes<Claim>(PERSISTENT_VOLUME_CLAIM, 'data', ({ status }) => status?.capacity?.storage === '2Gi');
    expect((await volume()).spec.capacity.storage).toBe('2Gi');
  });

  it('removes it with its claim', async () => {
    const { metadata, spec } = await volume();
    expect(spec.local!.path.startsWith(dir)).toBe(true);
    for (const name of ['with', 'without']) await client.delete(POD, { name, namespace: NAME });
    await client.delete(PERSISTENT_VOLUME_CLAIM, { name: 'data', namespace: NAME });
    expect(await until(() => isGone(PERSISTENT_VOLUME, metadata.name), WITHIN_MS)).toBe(true);
    expect(existsSync(spec.local!.path)).toBe(false);
  });
});

async function volume(): Promise<Volume> {
  const claim = await client.get<Claim>(PERSISTENT_VOLUME_CLAIM, { name: 'data', namespace: NAME });
  return client.get<Volume>(PERSISTENT_VOLUME, { name: claim.spec.volumeName! });
}

/** Ends at once, well or badly. */
function writer(name: string, securityContext: { fsGroup?: number }): KubeObject {
  const volumeMounts = [{ name: 'data', mountPath: '/data' }];
  const command = ['sh', '-c', 'echo kept >/data/file'];
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: NAME },
    spec: {
      restartPolicy: 'Never',
      securityContext,
      containers: [{ name: 'writer', image: 'berth.dev/whoami:1', command, volumeMounts }],
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
    },
  };
}

async function becomes<T extends KubeObject>(type: ResourceType, name: string, wanted: (object: T) => boolean) {
  const look = async () => wanted(await client.get<T>(type, { name, namespace: NAME }));
  expect(await until(look, WITHIN_MS), `${type.kind} ${name}`).toBe(true);
}

function phase(status: unknown): string | undefined {
  return (status as { phase?: string } | undefined)?.phase;
}

async function isGone(type: ResourceType, name: string): Promise<boolean> {
  try {
    await client.get(type, { name });
    return false;
  } catch (error) {
    if (isKubeError(error, 'NotFound')) return true;
    throw error;
  }
}
