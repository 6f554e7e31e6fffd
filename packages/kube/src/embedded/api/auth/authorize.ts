import { KubeError } from '../../../schema/status.ts';
import { resourceName } from '../errors.ts';
import type { RequestInfo } from '../http/request-info.ts';
import type { UserInfo } from '../kind.ts';

export const MASTERS = 'system:masters';

/** What a user wants to do, in the terms of RBAC. */
export interface AccessRequest {
  verb: string;
  /** Absent for a path of no resource. */
  resource?: { group: string; plural: string; subresource: string; namespace: string; name: string };
  path: string;
}

export type Authorizer = (user: UserInfo, access: AccessRequest) => boolean;

export function accessOf({ verb, path, resource }: RequestInfo): AccessRequest {
  return { verb, path, ...(resource && { resource }) };
}

export function refuse(user: UserInfo, { verb, resource, path }: AccessRequest): KubeError {
  if (!resource) {
    return new KubeError(
      403,
      'Forbidden',
      `forbidden: User ${JSON.stringify(user.name)} cannot ${verb} path ${JSON.stringify(path)}`,
      {},
    );
  }
  const { group, plural, subresource, namespace, name } = resource;
  const what = subresource ? `${plural}/${subresource}` : plural;
  const subject = `${resourceName({ group, plural })}${name ? ` ${JSON.stringify(name)}` : ''}`;
  const where = namespace ? `in the namespace ${JSON.stringify(namespace)}` : 'at the cluster scope';
  const message = `${subject} is forbidden: User ${JSON.stringify(user.name)} cannot ${verb} resource ${JSON.stringify(what)} in API group ${JSON.stringify(group)} ${where}`;
  return new KubeError(403, 'Forbidden', message, { ...(name && { name }), ...(group && { group }), kind: plural });
}
