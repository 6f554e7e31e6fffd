import type { Built } from './build.ts';
import type { Cluster } from './cluster.ts';
import { logPath } from './cluster.ts';
import { isHealthy } from './health.ts';
import type { Part } from './part.ts';
import { addOnParts } from './parts/add-ons.ts';
import { controlPlaneParts } from './parts/control-plane.ts';
import { nodeParts } from './parts/node.ts';
import { endProcesses, findProcesses, marksOf, type Process, startDetached } from './processes.ts';
import { enter, findHolder } from './sandbox.ts';

/** How long a part is given to end by itself. */
const GENTLY_MS = 8_000;

export function partsOf(cluster: Cluster, built: Built): Part[] {
  const inputs = { cluster, built };
  if (!cluster.node) return controlPlaneParts(inputs);
  return [...controlPlaneParts(inputs), ...nodeParts(inputs), ...addOnParts(inputs)];
}

export function findPart(cluster: Cluster, part: Part): Process | undefined {
  return findProcesses(cluster.dir).find((process) => process.part === part.name && process.program === part.program);
}

/** Does nothing for a part that runs, so that it may be called at any time. */
export async function startPart(cluster: Cluster, part: Part): Promise<void> {
  if (findPart(cluster, part)) return;
  const holder = cluster.node ? findHolder(cluster) : undefined;
  if (cluster.node && !holder) throw new Error('the node has no namespaces yet');
  await startDetached({
    command: [...(holder ? enter(holder) : []), ...part.command],
    environment: {
      PATH: process.env.PATH ?? '',
      HOME: cluster.dir,
      ...part.environment,
      ...marksOf(cluster.dir, part.name),
    },
    directory: cluster.dir,
    log: logPath(cluster, `${part.name}.log`),
  });
}

export async function endPart(cluster: Cluster, part: Part, gentlyForMs = GENTLY_MS): Promise<void> {
  await endProcesses(() => [findPart(cluster, part) ?? []].flat(), gentlyForMs);
}

export async function isPartHealthy(cluster: Cluster, part: Part): Promise<boolean> {
  const process = findPart(cluster, part);
  if (!process || process.stopped) return false;
  return part.health === undefined || isHealthy(part.health);
}
