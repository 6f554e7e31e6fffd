import type { KubeObject } from '../../../schema/object.ts';
import type { StoreView } from '../../store/store.ts';
import type { UserInfo } from '../kind.ts';
import { type AccessRequest, MASTERS } from './authorize.ts';

/** Role-based access control, from the roles and bindings in the store. Deny by default; there is no rule that denies. */
export interface PolicyRule {
  verbs: string[];
  apiGroups?: string[];
  resources?: string[];
  resourceNames?: string[];
  nonResourceURLs?: string[];
}

interface Subject {
  kind: string;
  name: string;
  namespace?: string;
}

interface RoleRef {
  kind: string;
  name: string;
}

const GROUP = 'rbac.authorization.k8s.io';

export function rbacAllows(view: StoreView, user: UserInfo, access: AccessRequest): boolean {
  if (user.groups.includes(MASTERS)) return true;
  return rulesFor(view, user, access.resource?.namespace ?? '').some((rule) => ruleAllows(rule, access));
}

/** All rules that hold for the user in the namespace, those of the whole cluster included. */
export function rulesFor(view: StoreView, user: UserInfo, namespace: string): PolicyRule[] {
  if (user.groups.includes(MASTERS))
    return [
      { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
      { verbs: ['*'], nonResourceURLs: ['*'] },
    ];
  const cluster = view.list(`clusterrolebindings.${GROUP}`).filter(({ object }) => concerns(object, user));
  const local =
    namespace === ''
      ? []
      : view.list(`rolebindings.${GROUP}`, namespace).filter(({ object }) => concerns(object, user));
  return [
    ...cluster.flatMap(({ object }) => rulesOfRole(view, object.roleRef as RoleRef, '')),
    // A binding in a namespace grants nothing outside, whatever its role says of other paths.
    ...local
      .flatMap(({ object }) => rulesOfRole(view, object.roleRef as RoleRef, namespace))
      .filter(({ nonResourceURLs }) => !nonResourceURLs?.length),
  ];
}

export function rulesOfRole(view: StoreView, { kind, name }: RoleRef, namespace: string): PolicyRule[] {
  const address =
    kind === 'Role'
      ? { resource: `roles.${GROUP}`, namespace, name }
      : { resource: `clusterroles.${GROUP}`, namespace: '', name };
  return (view.get(address)?.object.rules ?? []) as PolicyRule[];
}

function concerns(binding: KubeObject, user: UserInfo): boolean {
  return ((binding.subjects ?? []) as Subject[]).some(({ kind, name, namespace }) => {
    if (kind === 'User') return name === user.name;
    if (kind === 'Group') return user.groups.includes(name);
    return user.name === `system:serviceaccount:${namespace ?? binding.metadata.namespace}:${name}`;
  });
}

export function ruleAllows(rule: PolicyRule, { verb, resource, path }: AccessRequest): boolean {
  if (!includes(rule.verbs, verb)) return false;
  if (!resource)
    return (rule.nonResourceURLs ?? []).some(
      (url) => url === '*' || url === path || (url.endsWith('*') && path.startsWith(url.slice(0, -1))),
    );
  if (!includes(rule.apiGroups, resource.group) || !coversResource(rule.resources ?? [], resource)) return false;
  return !rule.resourceNames?.length || rule.resourceNames.includes(resource.name);
}

function coversResource(
  resources: string[],
  { plural, subresource }: { plural: string; subresource: string },
): boolean {
  const wanted = subresource === '' ? plural : `${plural}/${subresource}`;
  return resources.some(
    (resource) => resource === '*' || resource === wanted || (subresource !== '' && resource === `*/${subresource}`),
  );
}

function includes(list: string[] | undefined, value: string): boolean {
  return list?.includes('*') === true || list?.includes(value) === true;
}

/** What of the wanted rules the held ones do not grant, one verb and resource at a time. */
export function notCovered(held: PolicyRule[], wanted: PolicyRule[]): PolicyRule[] {
  return wanted.flatMap(split).filter((single) => !held.some((rule) => covers(rule, single)));
}

function split(rule: PolicyRule): PolicyRule[] {
  return rule.verbs.flatMap((verb): PolicyRule[] => {
    const paths = (rule.nonResourceURLs ?? []).map((url) => ({ verbs: [verb], nonResourceURLs: [url] }));
    const names = rule.resourceNames?.length ? rule.resourceNames : [undefined];
    const resources = (rule.apiGroups ?? []).flatMap((group) =>
      (rule.resources ?? []).flatMap((resource) =>
        names.map((name) => ({
          verbs: [verb],
          apiGroups: [group],
          resources: [resource],
          ...(name !== undefined && { resourceNames: [name] }),
        })),
      ),
    );
    return [...paths, ...resources];
  });
}

/** `single` has one of everything. */
function covers(rule: PolicyRule, single: PolicyRule): boolean {
  if (!includes(rule.verbs, single.verbs[0]!)) return false;
  const url = single.nonResourceURLs?.[0];
  if (url !== undefined)
    return (rule.nonResourceURLs ?? []).some(
      (own) => own === '*' || own === url || (own.endsWith('*') && url.startsWith(own.slice(0, -1))),
    );
  const [plural = '', subresource = ''] = single.resources![0]!.split('/');
  if (
    !includes(rule.apiGroups, single.apiGroups![0]!) ||
    !coversResource(rule.resources ?? [], { plural, subresource })
  )
    return false;
  if (!rule.resourceNames?.length) return true;
  return single.resourceNames !== undefined && rule.resourceNames.includes(single.resourceNames[0]!);
}
