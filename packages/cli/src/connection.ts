import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Team } from '@berth/core/tenant';
import { type ApiClient, createApiClient } from './api-client.ts';
import type { CliContext } from './context.ts';
import { CliError, EXIT_CODES } from './exit-codes.ts';
import { type Profile, readConfig } from './profile.ts';

export interface ConnectionOptions {
  url?: string | undefined;
  team?: string | undefined;
}

/**
 * Which Berth a command talks to: --url, else BERTH_URL, else the Berth that runs from this folder, else the last sign-in. The
 * token is BERTH_TOKEN or what `berth login` stored for that address.
 */
export function findUrl(context: CliContext, options: ConnectionOptions): string {
  const url =
    options.url ?? (context.environment.BERTH_URL || undefined) ?? localUrl(context) ?? readConfig(context).current;
  if (url === undefined) {
    throw new CliError(
      EXIT_CODES.usage,
      'which Berth? Start one here with "berth up", sign in to one with "berth login --url URL", or set BERTH_URL',
    );
  }
  const address = URL.canParse(url) ? new URL(url) : undefined;
  if (!address || !/^https?:$/.test(address.protocol)) {
    throw new CliError(EXIT_CODES.usage, `"${url}" is no address: write it as https://berth.example.com`);
  }
  return address.origin;
}

export interface Connection {
  client: ApiClient;
  profile: Profile | undefined;
}

export function connect(context: CliContext, options: ConnectionOptions): Connection {
  const url = findUrl(context, options);
  const profile = readConfig(context).profiles[url];
  const token = context.environment.BERTH_TOKEN || profile?.token;
  if (token === undefined) {
    throw new CliError(
      EXIT_CODES.denied,
      `you are not signed in to ${url}: run "berth login${loginHint(context, url)}"`,
    );
  }
  return { client: anonymousClient(context, url, token), profile };
}

export function anonymousClient(context: CliContext, url: string, token?: string): ApiClient {
  return createApiClient({ url, token, fetch: context.fetch, version: context.version });
}

/** The team that was named, by name or id; else the one of `berth team use`; else the personal one. */
export async function findTeam(context: CliContext, connection: Connection, options: ConnectionOptions): Promise<Team> {
  const wanted = options.team ?? (context.environment.BERTH_TEAM || undefined) ?? connection.profile?.team;
  const { items } = await connection.client.call('listTeams');
  if (wanted === undefined) {
    const { organizations } = await connection.client.call('getMe');
    const personal = organizations.find(({ personal }) => personal);
    const team = items.find(({ organizationId }) => organizationId === personal?.id) ?? items[0];
    if (team) return team;
    throw new CliError(EXIT_CODES.notFound, 'you are in no team: ask somebody to add you to theirs');
  }
  const found = items.filter(({ id, name, organizationName }) =>
    [id, name, `${organizationName}/${name}`].includes(wanted),
  );
  const [team] = found;
  if (team && found.length === 1) return team;
  const names = items.map(({ organizationName, name }) => `${organizationName}/${name}`).join(', ');
  if (team) throw new CliError(EXIT_CODES.usage, `several teams are named "${wanted}": write one of ${names}`);
  throw new CliError(EXIT_CODES.notFound, `you are in no team "${wanted}"; yours are ${names}`);
}

function localUrl(context: CliContext): string | undefined {
  const file = join(context.currentDirectory, '.berth', 'berth.json');
  if (!existsSync(file)) return undefined;
  try {
    return (JSON.parse(readFileSync(file, 'utf8')) as { url?: string }).url;
  } catch {
    throw new CliError(EXIT_CODES.failure, `${file} cannot be read: name the address with --url`);
  }
}

function loginHint(context: CliContext, url: string): string {
  return url === localUrl(context) ? '' : ` --url ${url}`;
}
