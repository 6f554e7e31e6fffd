import { BerthError } from '@berth/core/errors';
import { Command, CommanderError } from 'commander';
import { registerAdmin } from './commands/admin.ts';
import { registerAudit } from './commands/audit.ts';
import { registerClone } from './commands/clone.ts';
import type { Register } from './commands/command.ts';
import { registerCompletion } from './commands/completion.ts';
import { registerDelete } from './commands/delete.ts';
import { registerDeploy } from './commands/deploy.ts';
import { registerDoctor } from './commands/doctor.ts';
import { registerEvents } from './commands/events.ts';
import { registerExec } from './commands/exec.ts';
import { registerHistory } from './commands/history.ts';
import { registerLifecycle } from './commands/lifecycle.ts';
import { registerList } from './commands/list.ts';
import { registerLogin, registerLogout } from './commands/login.ts';
import { registerLogs } from './commands/logs.ts';
import { registerMembers } from './commands/members.ts';
import { registerOpen } from './commands/open.ts';
import { registerOrganizations } from './commands/organizations.ts';
import { registerPassword } from './commands/password.ts';
import { registerPlan } from './commands/plan.ts';
import { registerPortForward } from './commands/port-forward.ts';
import { registerProfile } from './commands/profile.ts';
import { registerScale } from './commands/scale.ts';
import { registerStatus } from './commands/status.ts';
import { registerTeams } from './commands/teams.ts';
import { registerTemplate } from './commands/template.ts';
import { registerTemplates } from './commands/templates.ts';
import { registerTokens } from './commands/tokens.ts';
import { registerTop } from './commands/top.ts';
import { registerUp } from './commands/up.ts';
import { registerUpdate } from './commands/update.ts';
import { registerUsage } from './commands/usage.ts';
import { registerWhoami } from './commands/whoami.ts';
import type { CliContext } from './context.ts';
import { CliError, EXIT_CODE_HELP, EXIT_CODES, exitCodeOf, RemoteExit } from './exit-codes.ts';
import { paint } from './output.ts';

/** In the order of the help. */
const COMMANDS: readonly Register[] = [
  registerUp,
  registerLogin,
  registerLogout,
  registerWhoami,
  registerProfile,
  registerTemplates,
  registerTemplate,
  registerDeploy,
  registerUpdate,
  registerList,
  registerStatus,
  registerLifecycle,
  registerScale,
  registerClone,
  registerDelete,
  registerHistory,
  registerLogs,
  registerEvents,
  registerTop,
  registerExec,
  registerPortForward,
  registerOpen,
  registerTeams,
  registerMembers,
  registerOrganizations,
  registerUsage,
  registerPlan,
  registerAudit,
  registerTokens,
  registerPassword,
  registerAdmin,
  registerDoctor,
  registerCompletion,
];

/** Runs one command to its end and returns the exit code. Nothing is thrown, nothing exits. */
export async function runCli(parameters: readonly string[], context: CliContext): Promise<number> {
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
    // Else `berth update NAME --version 1.2.0` would be taken for the question which program this is.
    .enablePositionalOptions()
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

function report(error: unknown, context: CliContext): number {
  const { output, signal } = context;
  // Commander has written its own sentence already; asking for help is no failure.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT_CODES.ok : EXIT_CODES.usage;
  if (error instanceof RemoteExit) return error.code;
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
