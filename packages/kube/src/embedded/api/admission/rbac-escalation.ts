import type { KubeObject } from '../../../schema/object.ts';
import { deepEqual } from '../../store/deep-equal.ts';
import { MASTERS } from '../auth/authorize.ts';
import { notCovered, type PolicyRule, rbacAllows, rulesFor, rulesOfRole } from '../auth/rbac.ts';
import { forbidden } from '../errors.ts';
import type { Kind, RuleContext } from '../kind.ts';
import type { AdmissionPlugin } from './admission.ts';

const GROUP = 'rbac.authorization.k8s.io';

/** Nobody grants what they do not hold: neither by writing a role nor by binding one. */
export const rbacEscalation: AdmissionPlugin = {
  name: 'RBAC escalation',
  validate(kind, object, old, context) {
    if (kind.group !== GROUP || context.user.groups.includes(MASTERS)) return;
    const isRole = kind.plural === 'roles' || kind.plural === 'clusterroles';
    if (isRole) {
      if (old && deepEqual(object.rules, old.rules)) return;
      if (!may(kind, object, context, 'escalate'))
        check(kind, object, { context, rules: (object.rules ?? []) as PolicyRule[] });
    } else {
      if (old && deepEqual([object.subjects, object.roleRef], [old.subjects, old.roleRef])) return;
      checkBinding(kind, object, context);
    }
  },
};

function checkBinding(kind: Kind, object: KubeObject, context: RuleContext): void {
  const reference = object.roleRef as { kind: string; name: string };
  const plural = reference.kind === 'Role' ? 'roles' : 'clusterroles';
  const resource = {
    group: GROUP,
    plural,
    subresource: '',
    namespace: object.metadata.namespace ?? '',
    name: reference.name,
  };
  if (rbacAllows(context.view, context.user, { verb: 'bind', path: '', resource })) return;
  check(kind, object, { context, rules: rulesOfRole(context.view, reference, object.metadata.namespace ?? '') });
}

function may(kind: Kind, object: KubeObject, { view, user }: RuleContext, verb: string): boolean {
  const resource = {
    group: GROUP,
    plural: kind.plural,
    subresource: '',
    namespace: object.metadata.namespace ?? '',
    name: object.metadata.name,
  };
  return rbacAllows(view, user, { verb, path: '', resource });
}

function check(
  kind: Kind,
  object: KubeObject,
  { context, rules }: { context: RuleContext; rules: PolicyRule[] },
): void {
  const { view, user } = context;
  const missing = notCovered(rulesFor(view, user, object.metadata.namespace ?? ''), rules);
  if (missing.length === 0) return;
  const groups = user.groups.map((group) => JSON.stringify(group)).join(' ');
  throw forbidden(
    kind,
    object.metadata.name,
    `user ${JSON.stringify(user.name)} (groups=[${groups}]) is attempting to grant RBAC permissions not currently held:\n${missing.map(ruleText).join('\n')}`,
  );
}

function ruleText({ apiGroups, resources, resourceNames, nonResourceURLs, verbs }: PolicyRule): string {
  const list = (name: string, values: string[] | undefined) =>
    values?.length ? [`${name}:[${values.map((value) => JSON.stringify(value)).join(' ')}]`] : [];
  return `{${[...list('APIGroups', apiGroups), ...list('Resources', resources), ...list('ResourceNames', resourceNames), ...list('NonResourceURLs', nonResourceURLs), ...list('Verbs', verbs)].join(', ')}}`;
}
