import type { Deployment } from '@berth/core/deployment';
import type { CliContext } from '../context.ts';
import { CliError, EXIT_CODES, RemoteExit } from '../exit-codes.ts';
import { findDeployment } from '../find-deployment.ts';
import { runRemoteShell } from '../remote-shell.ts';
import { type CommonOptions, type Register, withCommonOptions } from './command.ts';

interface ExecOptions extends CommonOptions {
  service?: string;
  tty?: boolean;
  stdin?: boolean;
}

export const registerExec: Register = (program, context) => {
  withCommonOptions(
    program
      .command('exec')
      .summary('a shell or a command in a service')
      .description('Opens a shell in a service, or runs a command there. Its exit code becomes that of berth.')
      .argument('<name>')
      .argument('[command...]', 'after --; a shell when absent')
      .option('--service <service>', 'which one, where there are several')
      .option('-T, --no-tty', 'without a terminal: output and errors stay apart, for pipes')
      .option('-i, --stdin', 'send standard input also when it is no terminal'),
  )
    .addHelpText(
      'after',
      '\nExamples:\n  berth exec my-book --service web\n  berth exec my-book --service db -- psql -c "select 1"',
    )
    .action((name: string, command: string[], options: ExecOptions) => exec(context, { name, command }, options));
};

async function exec(
  context: CliContext,
  { name, command }: { name: string; command: readonly string[] },
  options: ExecOptions,
): Promise<void> {
  const { connection, deployment } = await findDeployment(context, name, options);
  const atTerminal = context.input.isTerminal;
  const exitCode = await runRemoteShell(context, connection.client, {
    id: deployment.id,
    service: chooseService(deployment, options.service),
    command,
    tty: options.tty !== false && atTerminal,
    stdin: options.stdin === true || atTerminal || command.length === 0,
  });
  if (exitCode !== 0) throw new RemoteExit(exitCode);
}

export function chooseService(deployment: Deployment, wanted: string | undefined): string {
  const names = deployment.services.map(({ name }) => name);
  if (wanted !== undefined) {
    if (names.includes(wanted)) return wanted;
    throw new CliError(
      EXIT_CODES.notFound,
      `${deployment.name} has no service "${wanted}"; it has ${names.join(', ')}`,
    );
  }
  const [only] = names;
  if (only !== undefined && names.length === 1) return only;
  throw new CliError(
    EXIT_CODES.usage,
    `${deployment.name} has several services: add --service with one of ${names.join(', ')}`,
  );
}
