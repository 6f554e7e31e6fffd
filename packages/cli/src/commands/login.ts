import type { Me } from '@berth/core/tenant';
import { type ApiClient, createApiClient } from '../api-client.ts';
import { anonymousClient, findUrl } from '../connection.ts';
import type { CliContext } from '../context.ts';
import { CliError, EXIT_CODES } from '../exit-codes.ts';
import { readConfig, removeProfile, saveProfile } from '../profile.ts';
import type { Register } from './command.ts';

interface LoginOptions {
  url?: string;
  email?: string;
  token?: boolean;
}

export const registerLogin: Register = (program, context) => {
  program
    .command('login')
    .summary('sign in and keep an API token')
    .description('Signs in and keeps an API token, named after this machine, for later commands.')
    .option('--url <url>', 'which Berth (BERTH_URL; the one that runs from this folder; the last sign-in)')
    .option('--email <email>', 'your e-mail address; asked for when needed')
    .option('--token', 'read an API token from standard input instead of making one')
    .action((options: LoginOptions) => login(context, options));
};

async function login(context: CliContext, options: LoginOptions): Promise<void> {
  const url = findUrl(context, options);
  const { token, tokenId } = options.token ? await givenToken(context) : await makeToken(context, url, options);
  const client = createApiClient({ url, token, fetch: context.fetch, version: context.version });
  const { user } = await client.call('getMe');
  await forgetOldToken(context, url, client);
  saveProfile(context, { url, token, ...(tokenId && { tokenId }), email: user.email });
  context.output.write(`Signed in to ${url} as ${user.email}.\n`);
}

async function givenToken(context: CliContext): Promise<{ token: string; tokenId?: string }> {
  const token = (await context.input.readAll()).toString('utf8').trim();
  if (token === '')
    throw new CliError(EXIT_CODES.usage, 'there is no token on standard input: berth login --token < FILE');
  return { token };
}

/** Signs in as a browser would, makes a token, signs out again: the token alone is kept. */
async function makeToken(
  context: CliContext,
  url: string,
  options: LoginOptions,
): Promise<{ token: string; tokenId: string }> {
  const anonymous = anonymousClient(context, url);
  const { signIn } = await anonymous.call('getConfig');
  const answer =
    signIn.dev && options.email === undefined
      ? await anonymous.send('signInForDevelopment')
      : await anonymous.send('signIn', { body: await askCredentials(context, options.email) });
  await (answer.json() as Promise<Me>);
  const headers = { cookie: cookiesOf(answer) };
  const { id, token } = await anonymous.call('createToken', { body: { name: tokenName(context) }, headers });
  await anonymous.call('signOut', { headers });
  return { token, tokenId: id };
}

async function askCredentials(
  context: CliContext,
  email: string | undefined,
): Promise<{ email: string; password: string }> {
  const { input } = context;
  if (!input.isTerminal) {
    if (email === undefined)
      throw new CliError(EXIT_CODES.usage, 'name the account with --email and give its password on standard input');
    return { email, password: (await input.readAll()).toString('utf8').replace(/\r?\n$/, '') };
  }
  return { email: email ?? (await input.ask('E-mail: ')), password: await input.askHidden('Password: ') };
}

function cookiesOf(answer: Response): string {
  return answer.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ');
}

function tokenName(context: CliContext): string {
  return `berth on ${context.hostname}`.slice(0, 60);
}

/** The token of an earlier sign-in from here serves nobody any more. It may be gone or run out: then that is that. */
async function forgetOldToken(context: CliContext, url: string, client: ApiClient): Promise<void> {
  const old = readConfig(context).profiles[url]?.tokenId;
  if (old === undefined) return;
  const { items } = await client.call('listTokens');
  if (items.some(({ id }) => id === old)) await client.call('deleteToken', { params: { id: old } });
}

export const registerLogout: Register = (program, context) => {
  program
    .command('logout')
    .summary('revoke the token and forget it')
    .description('Revokes the token that "berth login" made and forgets it.')
    .option('--url <url>', 'which Berth')
    .action((options: { url?: string }) => logout(context, options));
};

async function logout(context: CliContext, options: { url?: string }): Promise<void> {
  const url = findUrl(context, options);
  const profile = readConfig(context).profiles[url];
  if (!profile) throw new CliError(EXIT_CODES.denied, `you are not signed in to ${url}`);
  removeProfile(context, url);
  if (profile.tokenId !== undefined) {
    const client = anonymousClient(context, url, profile.token);
    await client.call('deleteToken', { params: { id: profile.tokenId } });
  }
  context.output.write(`Signed out of ${url}.\n`);
}
