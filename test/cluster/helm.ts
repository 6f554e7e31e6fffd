import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { ClusterFile } from './cluster-file.ts';

const run = promisify(execFile);
const MOST_BYTES = 64 * 1024 * 1024;

/** Programs for people, on one cluster. What they say in the end is what comes back; a failure carries it too. */
export interface ClusterTools {
  helm(...parameters: string[]): Promise<string>;
  kubectl(...parameters: string[]): Promise<string>;
}

export function clusterTools({ bin, dir, kubeconfig }: ClusterFile): ClusterTools {
  const home = join(dir, 'helm');
  mkdirSync(home, { recursive: true });
  const homes = { HELM_CACHE_HOME: home, HELM_CONFIG_HOME: home, HELM_DATA_HOME: home };
  const env = { ...process.env, ...homes, KUBECONFIG: kubeconfig };
  const call =
    (program: string) =>
    async (...parameters: string[]) =>
      (await run(join(bin, program), parameters, { env, maxBuffer: MOST_BYTES })).stdout;
  return { helm: call('helm'), kubectl: call('kubectl') };
}
