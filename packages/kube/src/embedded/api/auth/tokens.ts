import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';
import type { StoreView } from '../../store/store.ts';
import type { UserInfo } from '../kind.ts';

/** Service account tokens: JSON web tokens, signed with the cluster's own EC key (ES256). */
export interface Tokens {
  issue(account: Account, options: { audiences: string[]; lifetimeSeconds: number; now: number }): IssuedToken;
  /** Undefined for what is no valid token of an account that is still there. */
  read(token: string, view: StoreView, now: number): UserInfo | undefined;
}

export interface Account {
  namespace: string;
  name: string;
  uid: string;
}

export interface IssuedToken {
  token: string;
  expires: number;
}

export const ISSUER = 'https://kubernetes.default.svc.cluster.local';

interface Claims {
  iss: string;
  sub: string;
  aud: string[];
  exp: number;
  iat: number;
  nbf: number;
  'kubernetes.io': { namespace: string; serviceaccount: { name: string; uid: string } };
}

export function createTokens(privateKeyPem: string): Tokens {
  const privateKey = createPrivateKey(privateKeyPem);
  const publicKey = createPublicKey(privateKey);
  const signature = { dsaEncoding: 'ieee-p1363' as const };
  return {
    issue({ namespace, name, uid }, { audiences, lifetimeSeconds, now }) {
      const issued = Math.floor(now / 1000);
      const claims: Claims = {
        iss: ISSUER,
        sub: `system:serviceaccount:${namespace}:${name}`,
        aud: audiences.length > 0 ? audiences : [ISSUER],
        exp: issued + lifetimeSeconds,
        iat: issued,
        nbf: issued,
        'kubernetes.io': { namespace, serviceaccount: { name, uid } },
      };
      const text = `${encode({ alg: 'ES256', typ: 'JWT' })}.${encode(claims)}`;
      const signed = sign('sha256', Buffer.from(text), { key: privateKey, ...signature });
      return { token: `${text}.${signed.toString('base64url')}`, expires: claims.exp * 1000 };
    },
    read(token, view, now) {
      const [header, payload, signed] = token.split('.');
      if (!header || !payload || !signed) return undefined;
      const valid = verify(
        'sha256',
        Buffer.from(`${header}.${payload}`),
        { key: publicKey, ...signature },
        Buffer.from(signed, 'base64url'),
      );
      if (!valid) return undefined;
      // Signed by us, so shaped by us.
      const claims = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as Claims;
      if (
        claims.iss !== ISSUER ||
        !claims.aud.includes(ISSUER) ||
        claims.exp * 1000 <= now ||
        claims.nbf * 1000 > now + 60_000
      )
        return undefined;
      return userOf(claims, view);
    },
  };
}

/** A token dies with its account: one that was made anew under the same name has another identity. */
function userOf({ 'kubernetes.io': { namespace, serviceaccount } }: Claims, view: StoreView): UserInfo | undefined {
  const record = view.get({ resource: 'serviceaccounts', namespace, name: serviceaccount.name });
  if (!record || record.object.metadata.uid !== serviceaccount.uid) return undefined;
  return {
    name: `system:serviceaccount:${namespace}:${serviceaccount.name}`,
    uid: serviceaccount.uid,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
  };
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
