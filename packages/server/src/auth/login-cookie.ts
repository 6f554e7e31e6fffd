import cookie from '@fastify/cookie';

/**
 * The cookie of a login. Host-only: an app on a subdomain never receives it. Over TLS it carries the `__Host-` prefix, with
 * which no subdomain can set it either.
 */
export interface LoginCookie {
  read(cookieHeader: string | undefined): string | undefined;
  /** Values of Set-Cookie. */
  set(secret: string, expiresAt: Date): string;
  clear(): string;
}

const NAME = 'berth_login';

export function loginCookie({ secure }: { secure: boolean }): LoginCookie {
  const name = secure ? `__Host-${NAME}` : NAME;
  const attributes = { path: '/', httpOnly: true, sameSite: 'lax', secure } as const;
  return {
    read: (header) => (header === undefined ? undefined : cookie.parse(header)[name]),
    set: (secret, expires) => cookie.serialize(name, secret, { ...attributes, expires }),
    clear: () => cookie.serialize(name, '', { ...attributes, expires: new Date(0) }),
  };
}
