import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../../scripts/steps.mjs';
import type { ClusterFile } from '../cluster-file.ts';

/** The cluster of this stage. */
export function readCluster(): ClusterFile {
  const dir = process.env.BERTH_TEST_CLUSTER;
  if (dir === undefined)
    throw new Error('BERTH_TEST_CLUSTER names the folder of the cluster; "npm run test:cluster" sets it');
  return JSON.parse(readFileSync(join(dir, 'cluster.json'), 'utf8')) as ClusterFile;
}

export const CHART = join(root, 'deploy/chart');

/** Values as parameters of Helm. */
export function sets(values: object): string[] {
  return Object.entries(values).flatMap(([name, value]) => ['--set-json', `${name}=${JSON.stringify(value)}`]);
}

/** What a program says when it refuses. */
export async function refusal(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return 'it was not refused';
}
