import './hosts.mjs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ClusterPlatform, openClusterPlatform } from './cluster-platform.ts';
import { readInstallation } from './installation.ts';
import { type LaptopPlatform, startLaptopPlatform } from './laptop-platform.ts';
import type { Platform } from './platform.ts';

/**
 * Where tests run: nothing else knows. On a `laptop`, which is the default, every file has a Berth of its own on BERTH_TEST_PORT; on a
 * `cluster` all share the one that BERTH_TEST_INSTALLATION describes. Files named *.laptop.test.ts are about what only a laptop has.
 */
const target = process.env.BERTH_TEST_TARGET ?? 'laptop';
const port = Number(process.env.BERTH_TEST_PORT ?? 7490);
const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const kubectlProgram = process.env.KUBECTL ?? 'kubectl';

export async function startPlatform(name: string): Promise<Platform> {
  if (target === 'laptop') return startLaptop(name);
  if (target === 'cluster') return openCluster(name);
  throw new Error(`BERTH_TEST_TARGET is ${target}; it must be laptop or cluster`);
}

/** For files that are a cluster's own. */
export function openCluster(name: string): Promise<ClusterPlatform> {
  const file = process.env.BERTH_TEST_INSTALLATION;
  if (file === undefined) throw new Error('BERTH_TEST_INSTALLATION must name the file that describes the installation');
  return openClusterPlatform({ name, root, kubectlProgram, installation: readInstallation(file) });
}

/** For files that are a laptop's own. */
export function startLaptop(name: string): Promise<LaptopPlatform> {
  return startLaptopPlatform({ name, port, root, kubectlProgram });
}
