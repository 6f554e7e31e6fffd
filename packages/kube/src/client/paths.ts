import type { ResourceType } from '../schema/object.ts';
import { KubeError } from '../schema/status.ts';
import type { ObjectAddress } from './client.ts';

/** `/apis/apps/v1/namespaces/team/deployments`, or over all namespaces when none is given. */
export function collectionPath(type: ResourceType, namespace?: string): string {
  const root = type.group === '' ? `/api/${type.version}` : `/apis/${type.group}/${type.version}`;
  if (!type.namespaced || namespace === undefined) return `${root}/${type.plural}`;
  return `${root}/namespaces/${segment('metadata.namespace', namespace)}/${type.plural}`;
}

export function objectPath(type: ResourceType, at: ObjectAddress, subresource?: string): string {
  requireNamespace(type, at);
  const path = `${collectionPath(type, at.namespace)}/${segment('metadata.name', at.name)}`;
  return subresource === undefined ? path : `${path}/${subresource}`;
}

export function requireNamespace(type: ResourceType, at: { name?: string; namespace?: string }): void {
  if (!type.namespaced || at.namespace) return;
  const what = `${type.kind} ${JSON.stringify(at.name ?? '')}`;
  throw new KubeError(
    400,
    'BadRequest',
    `metadata.namespace of ${what} is missing: ${type.plural} live in a namespace`,
  );
}

/** Builds `?a=1&b=2`; what is undefined or false is left out. */
export function query(parameters: Record<string, string | number | boolean | undefined>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined && value !== false && value !== '') search.set(name, String(value));
  }
  return search.size === 0 ? '' : `?${search}`;
}

/** A name that leaves its place in the path would address another object than the caller meant. */
function segment(field: string, value: string): string {
  if (value !== '' && value !== '.' && value !== '..' && !/[/%]/.test(value)) return encodeURIComponent(value);
  const message = `${field} ${JSON.stringify(value)} cannot be part of a path: it must not be empty, ".", "..", or contain "/" or "%"`;
  throw new KubeError(400, 'BadRequest', message);
}
