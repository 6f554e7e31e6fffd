import { randomUUID } from 'node:crypto';
import { renameSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { startCluster } from '@berth/kube/embedded/cluster';
import { postgresStore } from '@berth/kube/embedded/store/postgres-journal';
import pg from 'pg';
import type { Settings } from '../configuration/environment.ts';
import type { CLUSTER_VARIABLES } from '../configuration/process-settings.ts';
import { databaseAddress } from '../db/tls.ts';
import { createLogger } from '../logger.ts';
import { databasePlace } from '../postgres/place.ts';
import type { Service } from '../processes/service.ts';
import { reachableFolder } from '../reach/shared-folder.ts';
import { unprivilegedUser } from '../reach/system-user.ts';
import { shippedImages } from './shipped-images.ts';

/** Not the database's user: an app must not be able to read the platform's data. */
const WORKLOAD_USER = 'berth-apps';
const INGRESS_CONTROLLER = 'berth.dev/router';

export interface ClusterAssets {
  imagesDirectory: string;
  node: string;
}

/** The embedded cluster: its API, its controllers, its one node and the proxy of its Services. */
export async function runCluster(
  settings: Settings<typeof CLUSTER_VARIABLES>,
  assets: ClusterAssets,
): Promise<Service> {
  const logger = createLogger({ name: 'cluster', level: settings.logLevel });
  const user = process.getuid?.() === 0 ? unprivilegedUser(WORKLOAD_USER) : undefined;
  const { url, tls } = databaseAddress(settings.databaseUrl, settings.databaseAuthority);
  const pool = new pg.Pool({ connectionString: url, ssl: tls, application_name: 'berth cluster', max: 4 });
  pool.on('error', (err) => logger.warn({ err }, 'connection to the database lost'));
  const cluster = await startCluster({
    dataDirectory: reachableFolder(settings.dataDirectory, 'cluster', { user }),
    apiPort: settings.port,
    store: postgresStore(pool),
    encryptionKey: settings.key,
    images: shippedImages({
      directory: assets.imagesDirectory,
      node: assets.node,
      postgresBinaries: databasePlace(settings.dataDirectory).binaries,
      user,
    }),
    ...(user && { workloadUser: { uid: user.uid, gid: user.gid } }),
    ingressClassName: settings.ingressClass,
    ingressController: INGRESS_CONTROLLER,
    logger,
    newId: randomUUID,
  });
  await cluster.ready;
  writeKubeconfig(settings.kubeconfigFile, await readFile(cluster.kubeconfigPath, 'utf8'));
  return {
    async stop() {
      await cluster.stop({ workloads: 'stop' });
      await pool.end();
    },
  };
}

/** Whoever reads it while the cluster starts again gets a whole one. It lets its reader do everything. */
function writeKubeconfig(file: string, text: string): void {
  const unfinished = `${file}.new`;
  writeFileSync(unfinished, text, { mode: 0o600 });
  renameSync(unfinished, file);
}
