/** Where apps answer, beside the platform. */
export interface AppPlace {
  scheme: 'http' | 'https';
  port: number;
}

interface PublicSettings {
  publicUrl: string;
  publicPort: number | undefined;
  appScheme: 'http' | 'https' | undefined;
}

/** What is not said is as with the platform, which has its own port only where apps share its scheme. */
export function appPlace({ publicUrl, publicPort, appScheme }: PublicSettings): AppPlace {
  const { protocol, port } = new URL(publicUrl);
  const scheme = appScheme ?? (protocol === 'https:' ? 'https' : 'http');
  const shared = `${scheme}:` === protocol && port !== '' ? Number(port) : undefined;
  return { scheme, port: publicPort ?? shared ?? usualPort(scheme) };
}

/** The port is left out where browsers leave it out. */
export function appAddress({ scheme, port }: AppPlace): (host: string) => string {
  const shown = port === usualPort(scheme) ? '' : `:${port}`;
  return (host) => `${scheme}://${host}${shown}`;
}

function usualPort(scheme: AppPlace['scheme']): number {
  return scheme === 'https' ? 443 : 80;
}
