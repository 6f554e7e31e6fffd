import type { IncomingMessage } from 'node:http';
import { badRequest } from '../errors.ts';
import type { UserInfo } from '../kind.ts';
import { type AccessRequest, type Authorizer, refuse } from './authorize.ts';

const EXTRA_PREFIX = 'impersonate-extra-';
const ACCOUNT = /^system:serviceaccount:([^:]+):([^:]+)$/;
const ANONYMOUS_GROUP = 'system:unauthenticated';
const AUTHENTICATED_GROUP = 'system:authenticated';

/** `kubectl --as`: somebody acts as somebody else, where they may `impersonate` every part of that identity. */
export function impersonate(user: UserInfo, request: IncomingMessage, authorize: Authorizer): UserInfo {
  const wanted = readHeaders(request.headersDistinct);
  if (!wanted) return user;
  for (const access of accessesFor(wanted)) if (!authorize(user, access)) throw refuse(user, access);
  const account = ACCOUNT.exec(wanted.name);
  const groups =
    wanted.groups.length === 0 && account
      ? ['system:serviceaccounts', `system:serviceaccounts:${account[1]}`]
      : [...wanted.groups];
  const anonymous = wanted.name === 'system:anonymous' || groups.includes(ANONYMOUS_GROUP);
  if (anonymous && !groups.includes(ANONYMOUS_GROUP)) groups.push(ANONYMOUS_GROUP);
  if (!anonymous && !groups.includes(AUTHENTICATED_GROUP)) groups.push(AUTHENTICATED_GROUP);
  return { ...wanted, groups };
}

function readHeaders(headers: NodeJS.Dict<string[]>): UserInfo | undefined {
  const [name = ''] = headers['impersonate-user'] ?? [];
  const groups = headers['impersonate-group'] ?? [];
  const [uid] = headers['impersonate-uid'] ?? [];
  const extra = Object.entries(headers)
    .filter(([key]) => key.startsWith(EXTRA_PREFIX))
    .map(([key, values = []]) => [decodeKey(key.slice(EXTRA_PREFIX.length)), values] as const);
  if (name === '' && groups.length === 0 && uid === undefined && extra.length === 0) return undefined;
  if (name === '') throw badRequest('groups, uid or extra are requested without a user to impersonate');
  return { name, groups, ...(uid && { uid }), ...(extra.length > 0 && { extra: Object.fromEntries(extra) }) };
}

function decodeKey(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    // Taken as it is, as by a real server.
    return key;
  }
}

function accessesFor({ name, groups, uid, extra = {} }: UserInfo): AccessRequest[] {
  const account = ACCOUNT.exec(name);
  const who = account
    ? access('serviceaccounts', { namespace: account[1]!, name: account[2]! })
    : access('users', { name });
  const identity = { group: 'authentication.k8s.io' };
  return [
    who,
    ...groups.map((group) => access('groups', { name: group })),
    ...(uid ? [access('uids', { ...identity, name: uid })] : []),
    ...Object.entries(extra).flatMap(([key, values]) =>
      values.map((value) => access('userextras', { ...identity, subresource: key, name: value })),
    ),
  ];
}

function access(
  plural: string,
  parts: { name: string } & Partial<NonNullable<AccessRequest['resource']>>,
): AccessRequest {
  const resource = { group: '', subresource: '', namespace: '', ...parts, plural };
  return { verb: 'impersonate', path: '', resource };
}
