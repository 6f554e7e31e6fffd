import type { KubeObject } from '../../../schema/object.ts';
import { ISSUER } from '../auth/tokens.ts';
import { badRequest } from '../errors.ts';
import type { Kind, RuleContext, UserInfo } from '../kind.ts';
import { at, defineKind } from './define.ts';

/** Questions about who somebody is: answered, never stored. */
function review(kind: string, answer: (object: KubeObject, context: RuleContext) => unknown): Kind {
  const type = {
    group: 'authentication.k8s.io',
    version: 'v1',
    kind,
    plural: `${kind.toLowerCase()}s`,
    namespaced: false,
  };
  return defineKind(type, {
    schema: `io.k8s.api.authentication.v1.${kind}`,
    verbs: ['create'],
    answer: (object, context) => ({ ...object, status: answer(object, context) }),
  });
}

export const identityReviews: Kind[] = [
  /** `kubectl auth whoami`. */
  review('SelfSubjectReview', (_object, { user }) => ({ userInfo: userInfoOf(user) })),
  review('TokenReview', (object, context) => {
    const token = at(object, 'spec', 'token');
    if (typeof token !== 'string' || token === '')
      throw badRequest('token is required for TokenReview in authentication');
    const { audiences = [ISSUER] } = (object.spec ?? {}) as { audiences?: string[] };
    const user = context.readToken(token);
    if (!user || !audiences.includes(ISSUER)) return { error: 'invalid bearer token', user: {} };
    return { authenticated: true, user: userInfoOf(user), audiences: [ISSUER] };
  }),
];

function userInfoOf({ name, groups, uid, extra }: UserInfo) {
  return { username: name, ...(uid && { uid }), groups, ...(extra && { extra }) };
}
