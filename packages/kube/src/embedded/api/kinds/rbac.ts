import type { KubeObject } from '../../../schema/object.ts';
import { CLUSTER_ROLE, CLUSTER_ROLE_BINDING, ROLE, ROLE_BINDING } from '../../../schema/resources.ts';
import { deepEqual } from '../../store/deep-equal.ts';
import { type FieldError, required, unsupported, wrong } from '../errors.ts';
import type { Kind } from '../kind.ts';
import { pathSegment } from '../validation/names.ts';
import { at, defineKind, text } from './define.ts';
import { list } from './pod-defaults.ts';

const GROUP = 'rbac.authorization.k8s.io';
const created = {
  name: 'Created At',
  type: 'string',
  cell: ({ metadata }: KubeObject) => metadata.creationTimestamp,
} as const;
const roleStrategy = { name: pathSegment, validate: validateRules };

export const role: Kind = defineKind(ROLE, {
  schema: 'io.k8s.api.rbac.v1.Role',
  withoutAge: true,
  columns: [created],
  strategy: roleStrategy,
});
export const clusterRole: Kind = defineKind(CLUSTER_ROLE, {
  schema: 'io.k8s.api.rbac.v1.ClusterRole',
  withoutAge: true,
  columns: [created],
  strategy: roleStrategy,
});

const bindingStrategy = {
  name: pathSegment,
  defaults: (object: KubeObject) => {
    for (const subject of list(object.subjects)) subject.apiGroup ??= subject.kind === 'ServiceAccount' ? '' : GROUP;
    for (const subject of list(object.subjects)) if (subject.apiGroup === '') delete subject.apiGroup;
    const reference = object.roleRef as Record<string, unknown> | undefined;
    if (reference) reference.apiGroup ??= GROUP;
  },
  validate: validateBinding,
  validateUpdate: (object: KubeObject, old: KubeObject) =>
    deepEqual(object.roleRef, old.roleRef) ? [] : [wrong('roleRef', object.roleRef, 'cannot change roleRef')],
};

const bindingColumns = [text('Role', (object) => `${at(object, 'roleRef', 'kind')}/${at(object, 'roleRef', 'name')}`)];
const wideColumns = [
  text('Users', (object) => subjectsOf(object, 'User'), true),
  text('Groups', (object) => subjectsOf(object, 'Group'), true),
  text('ServiceAccounts', (object) => subjectsOf(object, 'ServiceAccount'), true),
];

export const roleBinding: Kind = defineKind(ROLE_BINDING, {
  schema: 'io.k8s.api.rbac.v1.RoleBinding',
  columns: bindingColumns,
  wide: wideColumns,
  strategy: bindingStrategy,
});
export const clusterRoleBinding: Kind = defineKind(CLUSTER_ROLE_BINDING, {
  schema: 'io.k8s.api.rbac.v1.ClusterRoleBinding',
  columns: bindingColumns,
  wide: wideColumns,
  strategy: bindingStrategy,
});

function validateRules(object: KubeObject): FieldError[] {
  return list(object.rules).flatMap((rule, index) => {
    const field = `rules[${index}]`;
    const errors: FieldError[] = [];
    if (list(rule.verbs).length === 0) errors.push(required(`${field}.verbs`, 'verbs must contain at least one value'));
    if (list(rule.nonResourceURLs).length > 0) {
      if (object.kind === 'Role')
        errors.push(
          wrong(`${field}.nonResourceURLs`, rule.nonResourceURLs, 'namespaced rules cannot apply to non-resource URLs'),
        );
      return errors;
    }
    if (list(rule.apiGroups).length === 0)
      errors.push(required(`${field}.apiGroups`, 'resource rules must supply at least one api group'));
    if (list(rule.resources).length === 0)
      errors.push(required(`${field}.resources`, 'resource rules must supply at least one resource'));
    return errors;
  });
}

function validateBinding(object: KubeObject): FieldError[] {
  const errors: FieldError[] = [];
  const { apiGroup, kind, name } = (object.roleRef ?? {}) as Record<string, unknown>;
  const kinds = object.kind === 'RoleBinding' ? ['Role', 'ClusterRole'] : ['ClusterRole'];
  if (apiGroup !== GROUP) errors.push(unsupported('roleRef.apiGroup', apiGroup ?? '', [GROUP]));
  if (!kinds.includes(String(kind))) errors.push(unsupported('roleRef.kind', kind ?? '', kinds));
  if (!name) errors.push(required('roleRef.name'));
  list(object.subjects).forEach((subject, index) => {
    errors.push(...validateSubject(subject, `subjects[${index}]`, object));
  });
  return errors;
}

function validateSubject(subject: Record<string, unknown>, field: string, _binding: KubeObject): FieldError[] {
  const errors: FieldError[] = subject.name ? [] : [required(`${field}.name`)];
  if (subject.kind === 'ServiceAccount') {
    if (!subject.namespace) errors.push(required(`${field}.namespace`));
  } else if (subject.kind !== 'User' && subject.kind !== 'Group') {
    errors.push(unsupported(`${field}.kind`, subject.kind ?? '', ['ServiceAccount', 'User', 'Group']));
  } else if (subject.apiGroup !== GROUP) errors.push(unsupported(`${field}.apiGroup`, subject.apiGroup, [GROUP]));
  return errors;
}

function subjectsOf(object: KubeObject, kind: string): string {
  return list(object.subjects)
    .filter((subject) => subject.kind === kind)
    .map(({ namespace, name }) => (kind === 'ServiceAccount' ? `${namespace}/${name}` : name))
    .join(', ');
}
