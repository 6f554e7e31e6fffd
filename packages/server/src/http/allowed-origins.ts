import { BerthError } from '@berth/core/errors';

/**
 * A page open in the same browser must not be able to do anything here, nor an attacker's name that resolves to this machine
 * (DNS rebinding). So a request has to name one of our own hosts, and a request from a page has to come from one.
 */
export interface OwnAddresses {
  /** `host` or `host:port`, in lower case. */
  hosts: ReadonlySet<string>;
  origins: ReadonlySet<string>;
}

export function ownAddresses(publicUrl: string, allowedHosts: readonly string[]): OwnAddresses {
  const url = new URL(publicUrl);
  const hosts = new Set([...allowedHosts.map((host) => host.toLowerCase()), url.host]);
  const origins = new Set([url.origin]);
  // Over TLS a page of the plain-text port is somebody else's: whoever sits on the wire.
  for (const host of hosts) if (host !== url.host) origins.add(`${url.protocol}//${host}`);
  return { hosts, origins };
}

export interface Provenance {
  origin: string | undefined;
  fetchSite: string | undefined;
  fetchMode: string | undefined;
  method: string;
}

export function requireOwnHost(own: OwnAddresses, host: string | undefined): void {
  if (host !== undefined && own.hosts.has(host.toLowerCase())) return;
  throw new BerthError(
    'foreign_host',
    'This server does not answer for that host; use the address it was started with',
  );
}

/** Browsers send Origin with whatever a page could read or change, and Sec-Fetch-Site with everything. */
export function requireOwnOrigin(own: OwnAddresses, from: Provenance): void {
  if (from.origin !== undefined && !own.origins.has(from.origin.toLowerCase())) throw foreign();
  const elsewhere = from.fetchSite === 'cross-site' || from.fetchSite === 'same-site';
  // Following a link to us is no attack: the page it was on learns nothing.
  const link = from.fetchMode === 'navigate' && from.method === 'GET';
  if (elsewhere && !link) throw foreign();
}

function foreign(): BerthError {
  return new BerthError('foreign_origin', "This request came from another site's page and was refused");
}
