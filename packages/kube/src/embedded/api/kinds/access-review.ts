import type { KubeObject } from '../../../schema/object.ts';
import type { AccessRequest } from '../auth/authorize.ts';
import { rbacAllows, rulesFor } from '../auth/rbac.ts';
import { badRequest } from '../errors.ts';
import type { Kind, RuleContext, UserInfo } from '../kind.ts';
import { at, defineKind } from './define.ts';

/** Questions about rights: answered, never stored. */
const GROUP = 'authorization.k8s.io';
const schema = (kind: string) => `io.k8s.api.authorization.v1.${kind}`;

function review(
  kind: string,
  options: { namespaced?: boolean; answer: (object: KubeObject, context: RuleContext) => unknown },
): Kind {
  const type = {
    group: GROUP,
    version: 'v1',
    kind,
    plural: `${kind.toLowerCase()}s`,
    namespaced: options.namespaced ?? false,
  };
  return defineKind(type, {
    schema: schema(kind),
    verbs: ['create'],
    answer: (object, context) => ({ ...object, status: options.answer(object, context) }),
  });
}

export const accessReviews: Kind[] = [
  review('SelfSubjectAccessReview', { answer: (object, context) => decide(object, context, context.user) }),
  review('SubjectAccessReview', { answer: (object, context) => decide(object, context, askedFor(object)) }),
  review('LocalSubjectAccessReview', {
    namespaced: true,
    answer: (object, context) => decide(object, context, askedFor(object)),
  }),
  review('SelfSubjectRulesReview', {
    answer: (object, { view, user }) => {
      const namespace = at(object, 'spec', 'namespace') as string | undefined;
      if (!namespace) throw badRequest('no namespace on request');
      const rules = rulesFor(view, user, namespace);
      return {
        resourceRules: rules
          .filter(({ resources }) => resources?.length)
          .map(({ nonResourceURLs: _urls, ...rule }) => rule),
        nonResourceRules: rules
          .filter(({ nonResourceURLs }) => nonResourceURLs?.length)
          .map(({ verbs, nonResourceURLs }) => ({ verbs, nonResourceURLs })),
        incomplete: false,
      };
    },
  }),
];

function askedFor(object: KubeObject): UserInfo {
  const name = (at(object, 'spec', 'user') as string | undefined) ?? '';
  const groups = (at(object, 'spec', 'groups') as string[] | undefined) ?? [];
  if (name === '' && groups.length === 0)
    throw badRequest('spec.user: at least one of user or group must be specified');
  return { name, groups };
}

function decide(object: KubeObject, { view }: RuleContext, user: UserInfo) {
  const access = accessOf(object);
  return rbacAllows(view, user, access) ? { allowed: true } : { allowed: false };
}

function accessOf(object: KubeObject): AccessRequest {
  const resource = at(object, 'spec', 'resourceAttributes') as Record<string, string> | undefined;
  const path = at(object, 'spec', 'nonResourceAttributes') as Record<string, string> | undefined;
  if ((resource === undefined) === (path === undefined)) {
    throw badRequest('spec: exactly one of nonResourceAttributes or resourceAttributes must be specified');
  }
  if (!resource) return { verb: path?.verb ?? '', path: path?.path ?? '' };
  const { group = '', resource: plural = '', subresource = '', namespace = '', name = '', verb = '' } = resource;
  return { verb, path: '', resource: { group, plural, subresource, namespace, name } };
}
