import { findUrl } from '../connection.ts';
import type { CliContext } from '../context.ts';
import { CliError, EXIT_CODES } from '../exit-codes.ts';
import { table } from '../output.ts';
import { readConfig, removeProfile, saveProfile } from '../profile.ts';
import type { Register } from './command.ts';

export const registerProfile: Register = (program, context) => {
  const profile = program
    .command('profile')
    .summary('where you are signed in')
    .description('The Berths that you are signed in to. "berth login --url URL" adds one.');
  profile
    .command('list')
    .description('Lists them; a star marks the one that commands go to.')
    .action(() => list(context));
  profile
    .command('use')
    .description('Commands go to this one from now on.')
    .argument('<url>', 'its address, or a part that no other has')
    .action((text: string) => use(context, text));
  profile
    .command('remove')
    .description('Forgets one. Its token stays good: "berth logout" revokes it.')
    .argument('<url>', 'its address, or a part that no other has')
    .action((text: string) => remove(context, text));
};

function list(context: CliContext): void {
  const { profiles, current } = readConfig(context);
  const target = currentUrl(context) ?? current;
  const rows = Object.values(profiles).map(({ url, email = '', team = '' }) => [
    url === target ? '*' : ' ',
    url,
    email,
    team,
  ]);
  const text =
    rows.length > 0 ? table(context.output, [' ', 'ADDRESS', 'AS', 'TEAM'], rows) : 'You are signed in nowhere.\n';
  context.output.write(text);
}

function use(context: CliContext, text: string): void {
  const profile = find(context, text);
  saveProfile(context, profile);
  context.output.write(`Commands go to ${profile.url} from now on.\n`);
  const target = currentUrl(context);
  if (target !== undefined && target !== profile.url) {
    context.output.note(
      `Here they still go to ${target}: BERTH_URL, or the Berth that runs from this folder, comes first\n`,
    );
  }
}

function remove(context: CliContext, text: string): void {
  const { url } = find(context, text);
  removeProfile(context, url);
  context.output.write(`${url} is forgotten.\n`);
}

function find(context: CliContext, text: string) {
  const all = Object.values(readConfig(context).profiles);
  const found = all.filter(({ url }) => url === text).concat(all.filter(({ url }) => url.includes(text)));
  const [profile] = found;
  const urls = all.map(({ url }) => url).join(', ') || 'none';
  if (!profile) throw new CliError(EXIT_CODES.notFound, `you are not signed in to "${text}"; you are to: ${urls}`);
  if (new Set(found.map(({ url }) => url)).size > 1 && profile.url !== text) {
    throw new CliError(EXIT_CODES.usage, `"${text}" is part of several: ${urls}`);
  }
  return profile;
}

function currentUrl(context: CliContext): string | undefined {
  try {
    return findUrl(context, {});
  } catch (error) {
    if (error instanceof CliError) return undefined;
    throw error;
  }
}
