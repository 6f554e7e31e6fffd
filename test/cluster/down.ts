import { rm } from 'node:fs/promises';
import { step } from '../../scripts/steps.mjs';
import type { Cluster } from './cluster.ts';
import { endProcesses, findProcesses } from './processes.ts';
import { removeSandbox } from './sandbox.ts';

/**
 * Ends everything that `up` started and removes what it made, in that order, so that it can be called again after it was cut off. Nobody
 * needs what a cluster for tests knew, so nothing is asked to end gently.
 */
export async function down(cluster: Cluster): Promise<void> {
  await step(`Ending the cluster in ${cluster.dir}`, async () => {
    // With its first process the kernel ends all others of the node, and its mounts and networks with them.
    if (cluster.node) await removeSandbox(cluster);
    await endProcesses(() => findProcesses(cluster.dir), 0);
    await rm(cluster.dir, { recursive: true, force: true, maxRetries: 5 });
  });
}
