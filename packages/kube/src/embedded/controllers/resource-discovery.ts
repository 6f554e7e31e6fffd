import type { KubeClient } from '../../client/client.ts';
import type { ResourceType } from '../../schema/object.ts';

interface ResourceList {
  groupVersion: string;
  resources: { name: string; kind: string; namespaced: boolean; verbs: string[] }[];
}

/** Kinds whose objects come and go by the thousand, or that are views: nothing owns them and nobody collects them. */
const IGNORED = new Set(['events', 'events.k8s.io/events']);

/** Every kind whose objects can be listed, watched and deleted, custom ones too, each in the version the server prefers. */
export async function discoverResources(client: KubeClient): Promise<ResourceType[]> {
  const groups = await getJson<{ groups: { preferredVersion: { groupVersion: string } }[] }>(client, '/apis');
  const versions = groups.groups.map((group) => group.preferredVersion.groupVersion);
  const lists = await Promise.all([
    getJson<ResourceList>(client, '/api/v1'),
    ...versions.map((version) => getJson<ResourceList>(client, `/apis/${version}`)),
  ]);
  return lists.flatMap(resourcesOf);
}

function resourcesOf(list: ResourceList): ResourceType[] {
  const [first = '', second] = list.groupVersion.split('/');
  const [group, version] = second === undefined ? ['', first] : [first, second];
  return list.resources
    .filter(
      ({ name, verbs }) => !name.includes('/') && ['list', 'watch', 'delete'].every((verb) => verbs.includes(verb)),
    )
    .map(({ name, kind, namespaced }) => ({ group, version, kind, plural: name, namespaced }));
}

export function isCollectable(type: ResourceType): boolean {
  return !IGNORED.has(type.group ? `${type.group}/${type.plural}` : type.plural);
}

async function getJson<T>(client: KubeClient, path: string): Promise<T> {
  const response = await client.raw('GET', path, { headers: { accept: 'application/json' } });
  const text = await response.text();
  if (response.status !== 200)
    throw new Error(`discovery of ${path} answered ${response.status}: ${text.slice(0, 200)}`);
  return JSON.parse(text) as T;
}
