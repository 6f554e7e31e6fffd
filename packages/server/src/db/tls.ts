import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import type { ConnectionOptions } from 'node:tls';

/**
 * TLS as DATABASE_URL wants it, with the meanings that PostgreSQL's own tools give to `sslmode`:
 * https://www.postgresql.org/docs/current/libpq-ssl.html
 *
 *     absent, disable   none
 *     require           encrypted; whose certificate it is does not matter, unless an authority is given: then as verify-ca
 *     verify-ca         the certificate is vouched for by the authority
 *     verify-full       and it is for the host of the address
 *
 * `allow` and `prefer` are refused: they mean that an attacker in between may choose.
 */
export interface DatabaseAddress {
  /** Without what is about TLS. */
  url: string;
  tls: ConnectionOptions | false;
}

const MODES = ['disable', 'require', 'verify-ca', 'verify-full'] as const;
type Mode = (typeof MODES)[number];
const FILES = { ca: 'sslrootcert', cert: 'sslcert', key: 'sslkey' } as const;

/** Throws a sentence about what cannot be meant. */
export function databaseAddress(text: string, authority?: string): DatabaseAddress {
  const url = parseUrl(text);
  const mode = modeOf(url);
  const own = filesOf(url);
  for (const name of ['sslmode', 'ssl', 'uselibpqcompat', ...Object.values(FILES)]) url.searchParams.delete(name);
  const plain = withoutStandIn(url);
  if (mode === 'disable') {
    if (authority === undefined) return { url: plain, tls: false };
    throw new Error(
      'DATABASE_URL: there is an authority for its certificate and no TLS: add "?sslmode=verify-full" to the address, or take BERTH_DATABASE_CA away',
    );
  }
  const ca = authority ?? own.ca;
  if (mode === 'verify-ca' && ca === undefined) {
    throw new Error(
      'DATABASE_URL: sslmode=verify-ca needs the authority in BERTH_DATABASE_CA_FILE; with one that everybody knows use sslmode=verify-full',
    );
  }
  return { url: plain, tls: { ...own, ...(ca !== undefined && { ca }), ...checksOf(mode, ca !== undefined) } };
}

function checksOf(mode: Mode, hasAuthority: boolean): ConnectionOptions {
  if (mode === 'verify-full') return {};
  if (mode === 'require' && !hasAuthority) return { rejectUnauthorized: false };
  return { checkServerIdentity: () => undefined };
}

function modeOf(url: URL): Mode {
  const text = url.searchParams.get('sslmode') ?? (url.searchParams.get('ssl') === 'true' ? 'verify-full' : 'disable');
  const mode = MODES.find((each) => each === text);
  if (mode) return mode;
  throw new Error(`DATABASE_URL: sslmode must be one of ${MODES.join(', ')}, not "${text}"`);
}

function filesOf(url: URL): { ca?: string; cert?: string; key?: string } {
  return Object.fromEntries(
    Object.entries(FILES).flatMap(([option, name]) => {
      const file = url.searchParams.get(name);
      return file === null || file === '' ? [] : [[option, readPem(name, file)]];
    }),
  );
}

function readPem(name: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new Error(`DATABASE_URL: ${name} names a file that cannot be read: ${file}`, { cause: error });
  }
}

/** A URL has no user without a host, and an address of a socket is written so. */
const STAND_IN = 'socket.invalid';

function parseUrl(text: string): URL {
  const spellings = [text, text.replace('@/', `@${STAND_IN}/`)];
  const sound = spellings.find((each) => URL.canParse(each));
  if (sound !== undefined) return new URL(sound);
  // The address itself may hold a password.
  throw new Error('DATABASE_URL: this is no address such as postgres://user:password@host:5432/berth');
}

function withoutStandIn(url: URL): string {
  return url.href.replace(`@${STAND_IN}/`, '@/');
}

/** The host as it may be told: never user and password. */
export function databaseHost(text: string): string {
  const url = parseUrl(text);
  const host = url.searchParams.get('host') ?? url.hostname.replace(STAND_IN, '');
  const port = url.searchParams.get('port') ?? url.port;
  return `${isIP(host) === 6 ? `[${host}]` : host}${port === '' ? '' : `:${port}`}`;
}
