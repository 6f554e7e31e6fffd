import type { KubeObject, ResourceType } from '../schema/object.ts';
import type { KubeClient, ListOptions } from './client.ts';

/** Everything of a type in some namespaces, or in the whole cluster when none are named. */
export async function listIn<T extends KubeObject>(
  client: Pick<KubeClient, 'list'>,
  type: ResourceType,
  { namespaces, ...options }: Omit<ListOptions, 'namespace'> & { namespaces?: readonly string[] | undefined } = {},
): Promise<T[]> {
  if (namespaces === undefined) return (await client.list<T>(type, options)).items;
  const lists = await Promise.all(namespaces.map((namespace) => client.list<T>(type, { ...options, namespace })));
  return lists.flatMap(({ items }) => items);
}
