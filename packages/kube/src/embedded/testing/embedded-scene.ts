import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KubeClient } from '../../client/client.ts';
import { createKubeClient } from '../../client/http-client.ts';
import { loadKubeConfig } from '../../client/kubeconfig.ts';
import { NAMESPACE } from '../../schema/resources.ts';
import { startApiServer } from '../api/server.ts';
import { memoryStore } from '../store/journaled-store.ts';

export interface EmbeddedScene {
  client: KubeClient;
  /** A namespace that the test has for itself. */
  namespace: string;
  end(): Promise<void>;
}

/** A real API server over HTTPS with its objects in memory, reached through the kubeconfig that it makes. */
export async function startEmbeddedScene(): Promise<EmbeddedScene> {
  const directory = await mkdtemp(join(tmpdir(), 'kube-client-'));
  const clock = { now: () => Date.now() };
  const options = {
    port: 0,
    store: memoryStore(),
    pkiDirectory: join(directory, 'pki'),
    serviceNetwork: '127.32.0.0/12',
  };
  const server = await startApiServer({ ...options, clock, newId: randomUUID });
  const path = join(directory, 'kubeconfig');
  await writeFile(path, await server.kubeconfig({ name: 'test', groups: ['system:masters'] }));
  const client = createKubeClient(await loadKubeConfig({ path }));
  const namespace = 'team';
  await client.create(NAMESPACE, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  return {
    client,
    namespace,
    async end() {
      await client.close();
      await server.close();
      await rm(directory, { recursive: true });
    },
  };
}
