import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { KubeError } from '../../../schema/status.ts';
import type { UserInfo } from '../kind.ts';

const AUTHENTICATED = 'system:authenticated';
export const ANONYMOUS: UserInfo = { name: 'system:anonymous', groups: ['system:unauthenticated'] };

/** Knows a bearer token, or does not. */
export type TokenReader = (token: string) => UserInfo | undefined;

/** Who asks: by client certificate (common name and organisations) or bearer token; nobody otherwise. */
export function authenticate(request: IncomingMessage, readToken: TokenReader): UserInfo {
  const authorization = request.headers.authorization;
  if (authorization !== undefined) {
    const token = /^Bearer\s+(\S+)$/i.exec(authorization)?.[1];
    const user = token === undefined ? undefined : readToken(token);
    if (!user) throw unauthorized();
    return withAuthenticated(user);
  }
  return userOfConnection(request.socket as TLSSocket);
}

/** A connection keeps its certificate; reading it costs as much as a small request. */
const users = new WeakMap<TLSSocket, UserInfo>();

function userOfConnection(socket: TLSSocket): UserInfo {
  const known = users.get(socket);
  if (known) return known;
  const owner = userOfCertificate(socket);
  const user = owner ? withAuthenticated(owner) : ANONYMOUS;
  users.set(socket, user);
  return user;
}

export function unauthorized(): KubeError {
  return new KubeError(401, 'Unauthorized', 'Unauthorized');
}

function withAuthenticated(user: UserInfo): UserInfo {
  return user.groups.includes(AUTHENTICATED) ? user : { ...user, groups: [...user.groups, AUTHENTICATED] };
}

function userOfCertificate(socket: TLSSocket): UserInfo | undefined {
  const certificate = socket.getPeerCertificate();
  if (!certificate || Object.keys(certificate).length === 0) return undefined;
  // A certificate of another authority is no credential; neither is one that may not identify a client.
  if (!socket.authorized) throw unauthorized();
  const { CN, O } = certificate.subject as unknown as { CN?: string | string[]; O?: string | string[] };
  const name = Array.isArray(CN) ? CN.at(-1) : CN;
  if (!name) throw unauthorized();
  return { name, groups: O === undefined ? [] : Array.isArray(O) ? O : [O] };
}
