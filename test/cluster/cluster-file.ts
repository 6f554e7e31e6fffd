import { copyFile, mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Built } from './build.ts';
import { addressesOf, type Cluster, certificatePaths, kubeconfigPath, logPath } from './cluster.ts';
import { ingressMetrics } from './parts/add-ons.ts';

/** What others read of a running cluster, from DIR/cluster.json. */
export interface ClusterFile {
  kubeconfig: string;
  dir: string;
  bin: string;
  nodeAddress?: string;
  /** This machine, as pods and the node see it. */
  hostAddress?: string;
  /** Authority of the certificate for *.apps.test, berth.test and *.berth.test. */
  ingressCa?: string;
  /** Prometheus figures of the ingress controller: requests by service and router. */
  ingressMetrics?: string;
  auditLog: string;
}

const SETTINGS = 'settings.json';

/** Written before anything is started, so that whatever was started can be ended. */
export async function writeSettings(cluster: Cluster): Promise<void> {
  await mkdir(cluster.dir, { recursive: true });
  await writeWhole(join(cluster.dir, SETTINGS), cluster);
}

/** Undefined where no cluster was ever started. */
export function readSettings(dir: string): Promise<Cluster | undefined> {
  return readJson<Cluster>(join(dir, SETTINGS));
}

/** Written when all is ready. */
export async function writeClusterFile(cluster: Cluster, built: Built): Promise<ClusterFile> {
  const { dir } = cluster;
  const bin = join(dir, 'bin');
  await rm(bin, { recursive: true, force: true });
  await mkdir(bin);
  for (const [name, path] of Object.entries(built)) await symlink(path, join(bin, name));
  const file: ClusterFile = { kubeconfig: kubeconfigPath(cluster), dir, bin, auditLog: logPath(cluster, 'audit.log') };
  if (cluster.node) {
    const { node, host } = addressesOf(cluster);
    const ingressCa = join(dir, 'ingress-ca.crt');
    await copyFile(certificatePaths(cluster, 'ingress-ca').certificate, ingressCa);
    Object.assign(file, { nodeAddress: node, hostAddress: host, ingressCa, ingressMetrics: ingressMetrics(cluster) });
  }
  await writeWhole(join(dir, 'cluster.json'), file);
  return file;
}

async function writeWhole(path: string, content: object): Promise<void> {
  await writeFile(`${path}.new`, `${JSON.stringify(content, undefined, 2)}\n`);
  await rename(`${path}.new`, path);
}

async function readJson<T>(path: string): Promise<T | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as T;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
