import type { KubeClient } from '../src/client/client.ts';
import { createKubeClient } from '../src/client/http-client.ts';
import { loadKubeConfig } from '../src/client/kubeconfig.ts';
import { bundledImages } from '../src/embedded/testing/bundled-images.ts';
import { startTestCluster } from '../src/embedded/testing/test-cluster.ts';
import type { KubeObject, ResourceType } from '../src/schema/object.ts';
import { CONFIG_MAP, NODE, SERVICE_ACCOUNT } from '../src/schema/resources.ts';

/** A cluster to ask. */
export interface Target {
  name: 'embedded' | 'real';
  client: KubeClient;
  runsPods: boolean;
  /** What its controllers put into every namespace. */
  ownObjects: readonly (readonly [ResourceType, string])[];
  end(): Promise<void>;
}

const ACCOUNT = [SERVICE_ACCOUNT, 'default'] as const;
const AUTHORITY = [CONFIG_MAP, 'kube-root-ca.crt'] as const;

/** Where the images of the tests are known by the names that they ship under. */
export async function startEmbeddedTarget(): Promise<Target> {
  const bundled = await bundledImages();
  const images = Object.fromEntries(
    Object.entries(bundled).map(([name, image]) => [name.replace('test.dev/', 'berth.dev/'), image]),
  );
  const cluster = await startTestCluster({ images });
  return { name: 'embedded', client: cluster.client, runsPods: true, ownObjects: [ACCOUNT], end: () => cluster.stop() };
}

interface Node extends KubeObject {
  status?: { conditions?: { type: string; status: string }[] };
}

export async function openRealTarget(kubeconfig: string): Promise<Target> {
  const client = createKubeClient(await loadKubeConfig({ path: kubeconfig }));
  const { items } = await client.list<Node>(NODE);
  const runsPods = items.some(({ status }) =>
    status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True'),
  );
  return { name: 'real', client, runsPods, ownObjects: [ACCOUNT, AUTHORITY], end: () => client.close() };
}
