/**
 * The cookie of a login. Host-only: an app on a subdomain never receives it. Over TLS it carries the `__Host-` prefix, with
 * which no subdomain can set it either.
 */
export interface LoginCookie {
  /** The value in a Cookie header. */
  read(cookieHeader: string | undefined): string | undefined;
  /** For a Set-Cookie header. */
  set(secret: string, expiresAt: Date): string;
  clear(): string;
}

const NAME = 'berth_login';

export function loginCookie({ secure }: { secure: boolean }): LoginCookie {
  const name = secure ? `__Host-${NAME}` : NAME;
  const serialize = (value: string, expiresAt: Date) =>
    [
      `${name}=${value}`,
      'Path=/',
      `Expires=${expiresAt.toUTCString()}`,
      'HttpOnly',
      'SameSite=Lax',
      ...(secure ? ['Secure'] : []),
    ].join('; ');
  return {
    read: (header) =>
      header
        ?.split(';')
        .map((pair) => pair.trim())
        .find((pair) => pair.startsWith(`${name}=`))
        ?.slice(name.length + 1),
    set: serialize,
    clear: () => serialize('', new Date(0)),
  };
}
