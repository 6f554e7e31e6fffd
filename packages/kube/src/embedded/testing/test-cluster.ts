import { randomUUID } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KubeClient } from '../../client/client.ts';
import { createKubeClient } from '../../client/http-client.ts';
import { createSilentLogger, type LogRecord } from '../../client/testing/silent-logger.ts';
import type { KubeObject, ResourceType } from '../../schema/object.ts';
import { NAMESPACE, POD, SERVICE_ACCOUNT } from '../../schema/resources.ts';
import { type Cluster, type ClusterOptions, startCluster } from '../cluster.ts';
import { memoryStore } from '../store/journaled-store.ts';
import { bundledImages } from './bundled-images.ts';

/** The user of the system that owns nothing. */
const NOBODY = 65_534;

export interface TestCluster {
  cluster: Cluster;
  client: KubeClient;
  directory: string;
  /** What the cluster logged, for when a test fails. */
  logs: LogRecord[];
  namespace(name: string): Promise<string>;
  stop(): Promise<void>;
}

/** Readable for workloads that run as another user. */
export function testDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'cluster-'));
  chmodSync(directory, 0o755);
  return directory;
}

export async function startTestCluster(options: Partial<ClusterOptions> = {}): Promise<TestCluster> {
  const directory = options.dataDirectory ?? testDirectory();
  const logs: LogRecord[] = [];
  const cluster = await startCluster({
    dataDirectory: directory,
    apiPort: 0,
    store: memoryStore(),
    images: await bundledImages(),
    workloadUser: { uid: NOBODY, gid: NOBODY },
    ingressClassName: 'test',
    ingressController: 'example.dev/router',
    logger: createSilentLogger(logs),
    newId: randomUUID,
    timings: { restart: { baseMs: 200, maxMs: 1000, resetMs: 60_000 }, pollMs: 50 },
    ...options,
  });
  const client = createKubeClient(await cluster.clientFor({ name: 'test', groups: ['system:masters'] }));
  await cluster.ready;
  return {
    cluster,
    client,
    directory,
    logs,
    async namespace(name) {
      await client.create(NAMESPACE, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
      // Pods are refused until their account is there.
      await eventually(() => client.get(SERVICE_ACCOUNT, { namespace: name, name: 'default' }));
      return name;
    },
    async stop() {
      await client.close();
      await cluster.stop({ workloads: 'stop' });
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Looks until it holds, and says what was there when it does not. */
export async function eventually<T>(look: () => Promise<T>, milliseconds = 15_000): Promise<T> {
  const deadline = performance.now() + milliseconds;
  for (;;) {
    try {
      return await look();
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

export async function podLog(
  client: KubeClient,
  namespace: string,
  ...[pod, query = '']: [pod: string, query?: string]
): Promise<string> {
  const response = await client.raw('GET', `/api/v1/namespaces/${namespace}/pods/${pod}/log${query}`);
  return response.text();
}

export async function listIn<T extends KubeObject>(
  client: KubeClient,
  type: ResourceType,
  namespace: string,
): Promise<T[]> {
  return (await client.list<T>(type, { namespace })).items;
}

export const podsIn = <T extends KubeObject>(client: KubeClient, namespace: string) =>
  listIn<T>(client, POD, namespace);
