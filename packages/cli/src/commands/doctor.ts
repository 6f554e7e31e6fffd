import { join, resolve } from 'node:path';
import type { HealthCheck } from '@berth/core/health';
import { anonymousClient, findUrl } from '../connection.ts';
import type { CliContext } from '../context.ts';
import { failure, ok, warning } from '../doctor/check.ts';
import { checkDataDirectory } from '../doctor/data-directory.ts';
import { checkServer } from '../doctor/server.ts';
import { CliError, EXIT_CODES } from '../exit-codes.ts';
import { type Colour, paint, show, table } from '../output.ts';
import { readConfig } from '../profile.ts';
import { type CommonOptions, type Register, withCommonOptions } from './command.ts';

interface DoctorOptions extends CommonOptions {
  data?: string;
}

const OLDEST_NODE = [20, 19] as const;
const COLOURS: Record<HealthCheck['state'], Colour> = { ok: 'green', warning: 'yellow', failure: 'red' };
const WORDS: Record<HealthCheck['state'], string> = { ok: 'ok', warning: 'look', failure: 'wrong' };

export const registerDoctor: Register = (program, context) => {
  withCommonOptions(
    program
      .command('doctor')
      .summary('find what is wrong, and how to mend it')
      .description(
        'Looks at this machine, the data directory and the Berth that commands go to, and says what is wrong and how to mend it.',
      )
      .option('--data <dir>', 'the data directory of "berth up" (.berth)'),
  ).action((options: DoctorOptions) => doctor(context, options));
};

async function doctor(context: CliContext, options: DoctorOptions): Promise<void> {
  const root = resolve(context.currentDirectory, options.data ?? '.berth');
  const checks = [
    node(context.nodeVersion),
    ...settings(context),
    ...checkDataDirectory(root, context.isRunning),
    ...(await server(context, options, root)),
  ];
  show(context, options.output, { json: { checks }, text: () => describe(context, checks) });
  const wrong = checks.filter(({ state }) => state === 'failure').length;
  if (wrong > 0)
    throw new CliError(EXIT_CODES.failure, wrong === 1 ? 'one thing is wrong' : `${wrong} things are wrong`);
}

function node(version: string): HealthCheck {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [wantedMajor, wantedMinor] = OLDEST_NODE;
  if (major > wantedMajor || (major === wantedMajor && minor >= wantedMinor)) return ok('Node', version);
  return failure('Node', `${version} is too old`, `install Node ${wantedMajor}.${wantedMinor} or newer`);
}

function settings(context: CliContext): HealthCheck[] {
  try {
    const count = Object.keys(readConfig(context).profiles).length;
    return [ok('sign-ins', count === 1 ? 'one is kept' : `${count} are kept`)];
  } catch (error) {
    const file = join(context.configDirectory, 'config.json');
    return [
      failure(
        'sign-ins',
        error instanceof Error ? error.message : String(error),
        `remove ${file} and run: berth login`,
      ),
    ];
  }
}

async function server(context: CliContext, options: DoctorOptions, root: string): Promise<HealthCheck[]> {
  let url: string;
  try {
    url = findUrl(
      { ...context, currentDirectory: options.data ? join(root, '..') : context.currentDirectory },
      options,
    );
  } catch (error) {
    return [warning('address', error instanceof Error ? error.message : String(error))];
  }
  const checks = await checkServer(context, url);
  return [...checks, ...(checks[0]?.state === 'failure' ? [] : await appAddresses(context, url))];
}

/** Apps answer at names below one domain: where it does not resolve, everything runs and no page opens. */
async function appAddresses(context: CliContext, url: string): Promise<HealthCheck[]> {
  const { domain } = await anonymousClient(context, url).call('getConfig');
  const name = `some-app.${domain}`;
  const addresses = await context.resolve(name);
  if (addresses.length > 0) return [ok('addresses of apps', `${name} is ${addresses.join(', ')}`)];
  const fix =
    domain === 'localhost'
      ? 'most browsers find it anyway; for other programs use --resolve, or a domain such as 127.0.0.1.nip.io with --domain'
      : `add a DNS record for *.${domain} that points to Berth`;
  return [warning('addresses of apps', `${name} is found by no name server of this machine`, fix)];
}

function describe({ output }: CliContext, checks: readonly HealthCheck[]): string {
  const rows = checks.map(({ name, state, message }) => [paint(output, COLOURS[state], WORDS[state]), name, message]);
  const fixes = checks.flatMap(({ name, fix }) => (fix === undefined ? [] : [`  ${name}: ${fix}\n`]));
  const all = table(output, [' ', 'WHAT', 'STATE'], rows);
  return fixes.length === 0 ? `${all}\nNothing is wrong.\n` : `${all}\nHow to mend it:\n${fixes.join('')}`;
}
