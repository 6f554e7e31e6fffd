import { BerthError } from '@berth/core/errors';
import { Command, CommanderError } from 'commander';
import { registerAdmin } from './commands/admin.ts';
import type { Register } from './commands/command.ts';
import { registerDelete } from './commands/delete.ts';
import { registerDeploy } from './commands/deploy.ts';
import { registerEvents } from './commands/events.ts';
import { registerLifecycle } from './commands/lifecycle.ts';
import { registerList } from './commands/list.ts';
import { registerLogin, registerLogout } from './commands/login.ts';
import { registerLogs } from './commands/logs.ts';
import { registerOpen } from './commands/open.ts';
import { registerPlan } from './commands/plan.ts';
import { registerStatus } from './commands/status.ts';
import { registerTeams } from './commands/teams.ts';
import { registerTemplates } from './commands/templates.ts';
import { registerTokens } from './commands/tokens.ts';
import { registerUp } from './commands/up.ts';
import { registerWhoami } from './commands/whoami.ts';
import type { CliContext } from './context.ts';
import { CliError, EXIT_CODE_HELP, EXIT_CODES, type ExitCode, exitCodeOf } from './exit-codes.ts';
import { paint } from './output.ts';

/** In the order of the help. */
const COMMANDS: readonly Register[] = [
  registerUp,
  registerLogin,
  registerLogout,
  registerWhoami,
  registerTemplates,
  registerDeploy,
  registerList,
  registerStatus,
  registerLifecycle,
  registerDelete,
  registerLogs,
  registerEvents,
  registerOpen,
  registerTeams,
  registerPlan,
  registerTokens,
  registerAdmin,
];

/** Runs one command to its end and returns the exit code. Nothing is thrown, nothing exits. */
export async function runCli(parameters: readonly string[], context: CliContext): Promise<ExitCode> {
  const program = buildProgram(context);
  try {
    await program.parseAsync([...parameters], { from: 'user' });
    return EXIT_CODES.ok;
  } catch (error) {
    return report(error, context);
  }
}

function buildProgram(context: CliContext): Command {
  const program = new Command('berth')
    .description('Deploy apps from templates, on this machine or on a cluster.')
    .version(context.version, '-V, --version', 'the version of this program')
    .helpCommand(false)
    .showSuggestionAfterError()
    .addHelpText('after', `\n${EXIT_CODE_HELP}`);
  for (const register of COMMANDS) register(program, context);
  configure(program, context);
  return program;
}

/** Subcommands do not inherit these when they are made by `command()` before them, so each gets them. */
function configure(command: Command, context: CliContext): void {
  command.exitOverride().configureOutput({
    writeOut: (text) => context.output.write(text),
    writeErr: (text) => context.output.note(text),
    getOutHelpWidth: () => 100,
    getErrHelpWidth: () => 100,
    getOutHasColors: () => context.output.colours,
    getErrHasColors: () => context.output.colours,
  });
  for (const each of command.commands) configure(each, context);
}

function report(error: unknown, context: CliContext): ExitCode {
  const { output, signal } = context;
  // Commander has written its own sentence already; asking for help is no failure.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT_CODES.ok : EXIT_CODES.usage;
  if (signal.aborted) return EXIT_CODES.failure;
  output.note(`${paint(output, 'red', 'error:')} ${error instanceof Error ? error.message : String(error)}\n`);
  if (error instanceof CliError) return error.exitCode;
  if (!(error instanceof BerthError)) return EXIT_CODES.failure;
  for (const line of advice(error)) output.note(`  ${line}\n`);
  return exitCodeOf(error.code);
}

/** What the server knows beyond the sentence: the fields, the limit, who can grant a right, a free name. */
function advice({ code, message, details }: BerthError): string[] {
  const { fields = [], limit, right, suggestion } = details;
  const more = fields.length > 1 ? fields.map(({ path, message: what }) => `${path}: ${what}`) : [];
  return [
    ...more,
    ...(limit && !message.includes(String(limit.allowed))
      ? [`${limit.resource}: ${limit.used} of ${limit.allowed}`]
      : []),
    ...(right && !message.includes(right.grantedBy)
      ? [`it takes "${right.permission}", which ${right.grantedBy} can grant`]
      : []),
    ...(suggestion && !message.includes(suggestion) ? [`free is: ${suggestion}`] : []),
    ...(code === 'unauthenticated' ? ['the token is not good any more: run "berth login"'] : []),
  ];
}
