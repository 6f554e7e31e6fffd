import type { KubeClient } from '@berth/kube/client/client';
import type { KubeObject, ResourceType } from '@berth/kube/schema/object';
import { NAMESPACE, PERSISTENT_VOLUME, POD } from '@berth/kube/schema/resources';

/** What is there, told by the Kubernetes API: of whatever kind the cluster knows, not only those that Berth is known to make. */
export interface FoundObject {
  /** `deployments.apps` */
  resource: string;
  object: KubeObject;
}

const TEAM_LABEL = 'berth.dev/team';
/** What happened, and what is measured, belongs to nobody. */
const NOBODYS = new Set(['events', 'metrics.k8s.io', 'events.k8s.io']);
/** What a team's namespace always has; everything else belongs to a deployment. */
const OF_THE_TEAM = new Set([
  'resourcequotas',
  'limitranges',
  'secretstores.external-secrets.io',
  'serviceaccounts',
  'rolebindings.rbac.authorization.k8s.io',
  'configmaps kube-root-ca.crt',
  'networkpolicies.networking.k8s.io berth-default-deny',
  'secrets berth-delivery',
]);

export async function podsOfDeployments(client: KubeClient): Promise<KubeObject[]> {
  return (await client.list(POD, { labelSelector: 'berth.dev/deployment' })).items;
}

/** Objects of deployments in the namespaces of teams, and the volumes that they claimed. */
export async function objectsOfDeployments(client: KubeClient): Promise<FoundObject[]> {
  const teams = (await client.list(NAMESPACE, { labelSelector: TEAM_LABEL })).items.map(
    ({ metadata }) => metadata.name,
  );
  const types = await namespacedTypes(client);
  const found: FoundObject[] = [];
  for (const namespace of teams)
    for (const type of types) {
      const resource = type.group === '' ? type.plural : `${type.plural}.${type.group}`;
      for (const object of (await client.list(type, { namespace })).items)
        if (!OF_THE_TEAM.has(resource) && !OF_THE_TEAM.has(`${resource} ${object.metadata.name}`))
          found.push({ resource, object });
    }
  for (const object of (await client.list(PERSISTENT_VOLUME)).items) {
    const claim = (object.spec as { claimRef?: { namespace?: string } }).claimRef;
    if (teams.includes(claim?.namespace ?? '')) found.push({ resource: 'persistentvolumes', object });
  }
  return found;
}

interface ApiResources {
  groupVersion: string;
  resources: { name: string; kind: string; namespaced: boolean; verbs: string[] }[];
}

async function namespacedTypes(client: KubeClient): Promise<ResourceType[]> {
  const { groups } = await read<{ groups: { name: string; preferredVersion: { groupVersion: string } }[] }>(
    client,
    '/apis',
  );
  const paths = groups
    .filter(({ name }) => !NOBODYS.has(name))
    .map(({ preferredVersion }) => `/apis/${preferredVersion.groupVersion}`);
  const lists = await Promise.all(['/api/v1', ...paths].map((path) => read<ApiResources>(client, path)));
  return lists.flatMap(({ groupVersion, resources }) => {
    const [group = '', version = ''] = groupVersion.includes('/') ? groupVersion.split('/') : ['', groupVersion];
    return resources
      .filter(({ name, namespaced, verbs }) => namespaced && verbs.includes('list') && !NOBODYS.has(name))
      .map(({ name, kind }) => ({ group, version, kind, plural: name, namespaced: true }));
  });
}

async function read<T>(client: KubeClient, path: string): Promise<T> {
  const answer = await client.raw('GET', path, { headers: { accept: 'application/json' } });
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`GET ${path} was answered ${answer.status}: ${text}`);
  return JSON.parse(text) as T;
}
