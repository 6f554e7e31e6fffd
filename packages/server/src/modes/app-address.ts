/** Addresses of apps: the platform's scheme and public port, with the port left out where browsers leave it out. */
export function appAddress(settings: { publicUrl: string; publicPort: number }): (host: string) => string {
  const { protocol } = new URL(settings.publicUrl);
  const usual = protocol === 'https:' ? 443 : 80;
  const port = settings.publicPort === usual ? '' : `:${settings.publicPort}`;
  return (host) => `${protocol}//${host}${port}`;
}
