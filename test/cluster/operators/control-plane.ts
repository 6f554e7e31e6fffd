import { mkdtemp, readdir, realpath } from 'node:fs/promises';
import { createServer } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KubeClient } from '@berth/kube/client/client';
import { createKubeClient } from '@berth/kube/client/http-client';
import { loadKubeConfig } from '@berth/kube/client/kubeconfig';
import { type Built, build } from '../build.ts';
import type { Cluster } from '../cluster.ts';
import type { ClusterFile } from '../cluster-file.ts';
import { down } from '../down.ts';
import { endPart, findPart, isPartHealthy, partsOf, startPart } from '../parts.ts';
import { signal } from '../processes.ts';
import { CONTROL_PLANE } from '../programs.ts';
import { until } from '../until.ts';
import { up } from '../up.ts';

/** A real control plane for one test file: no node, free ports, a folder of its own. */
export interface ControlPlane {
  file: ClusterFile;
  /** As administrator. */
  client: KubeClient;
  /** Connections are refused until it is started again. */
  endApiServer(): Promise<void>;
  startApiServer(): Promise<void>;
  /** Nothing answers and nothing is refused, as behind a cut line. */
  freezeApiServer(): void;
  thawApiServer(): void;
  end(): Promise<void>;
}

const HEALTHY_WITHIN_MS = 60_000;

export async function startControlPlane(): Promise<ControlPlane> {
  // Short: a socket's path below it has little room.
  const dir = await realpath(await mkdtemp(join(tmpdir(), 'operators-')));
  const cluster: Cluster = { dir, node: false, port: await freePorts(), network: '10.202', apiserverFlags: [] };
  const built = await programs();
  const file = await up(cluster, built);
  const client = createKubeClient(await loadKubeConfig({ path: file.kubeconfig }));
  const part = partsOf(cluster, built).find(({ name }) => name === 'apiserver')!;
  const pid = () => findPart(cluster, part)!.pid;
  return {
    file,
    client,
    endApiServer: () => endPart(cluster, part),
    async startApiServer() {
      await startPart(cluster, part);
      if (await until(() => isPartHealthy(cluster, part), HEALTHY_WITHIN_MS)) return;
      throw new Error('the apiserver did not come back');
    },
    freezeApiServer: () => signal(pid(), 'SIGSTOP'),
    thawApiServer: () => signal(pid(), 'SIGCONT'),
    async end() {
      await client.close();
      await down(cluster);
    },
  };
}

/** BERTH_CLUSTER_BIN names a folder with programs that are built already. */
async function programs(): Promise<Built> {
  const bin = process.env.BERTH_CLUSTER_BIN;
  if (!bin) return build(CONTROL_PLANE, join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'berth'));
  return Object.fromEntries((await readdir(bin)).map((name) => [name, join(bin, name)]));
}

/** The first of five in a row that nobody listens at. */
async function freePorts(): Promise<number> {
  for (;;) {
    const first = 20_000 + Math.floor(Math.random() * 10_000);
    const free = await Promise.all([0, 1, 2, 3, 4].map((more) => isFree(first + more)));
    if (free.every(Boolean)) return first;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
