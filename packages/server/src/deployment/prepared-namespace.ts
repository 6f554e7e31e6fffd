import type { KubeClient } from '@berth/kube/client/client';
import type { KubeObject } from '@berth/kube/schema/object';
import { NAMESPACE } from '@berth/kube/schema/resources';
import { isKubeError } from '@berth/kube/schema/status';
import { namespaceLabels, type TeamNamespace } from './namespace.ts';

/** A team's namespace that somebody else has to make is not there or not as it must be. The message says what to do. */
export class NamespaceNotPrepared extends Error {}

/**
 * For an installation that is confined to namespaces made beforehand: it may not make one or change its labels, so it looks whether
 * whoever runs the cluster has done it. Throws `NamespaceNotPrepared` when not.
 */
export async function checkPreparedNamespace(
  client: Pick<KubeClient, 'get'>,
  team: TeamNamespace,
  confinedTo: readonly string[],
): Promise<void> {
  const name = team.namespace;
  if (!confinedTo.includes(name)) {
    throw new NamespaceNotPrepared(
      `This Berth may only use namespaces that are prepared for it, and ${name}, that of this team, is not among them. Ask whoever runs the cluster to make it and to name it in rbac.namespaces of the chart.`,
    );
  }
  const missing = missingLabels(await find(client, name), team);
  if (missing === undefined) {
    throw new NamespaceNotPrepared(
      `The namespace ${name} of this team does not exist. Ask whoever runs the cluster to run: kubectl create namespace ${name}`,
    );
  }
  if (missing.length === 0) return;
  throw new NamespaceNotPrepared(
    `The namespace ${name} of this team lacks labels that keep it safe. Ask whoever runs the cluster to run: kubectl label --overwrite namespace ${name} ${missing.join(' ')}`,
  );
}

/** `key=value` of each; undefined when there is no such namespace. */
function missingLabels(namespace: KubeObject | undefined, team: TeamNamespace): string[] | undefined {
  if (namespace === undefined || namespace.metadata.deletionTimestamp !== undefined) return undefined;
  const { labels = {} } = namespace.metadata;
  return Object.entries(namespaceLabels(team))
    .filter(([key, value]) => labels[key] !== value)
    .map(([key, value]) => `${key}=${value}`);
}

/** A cluster may answer 403 rather than 404 for what is not there: rights in a namespace go with it. */
async function find(client: Pick<KubeClient, 'get'>, name: string): Promise<KubeObject | undefined> {
  try {
    return await client.get(NAMESPACE, { name });
  } catch (error) {
    if (isKubeError(error, 'NotFound') || isKubeError(error, 'Forbidden')) return undefined;
    throw error;
  }
}
