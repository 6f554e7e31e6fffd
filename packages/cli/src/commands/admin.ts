import type { Register } from './command.ts';

/** Runs beside the database, not over the network: whoever can read the data directory may make an administrator. */
export const registerAdmin: Register = (program, context) => {
  const admin = program
    .command('admin')
    .summary('manage this installation')
    .description('Manages this installation, beside its database.');
  admin
    .command('create')
    .summary('make an administrator')
    .description(
      'Makes an account that may manage the platform. The password is asked for, or read from standard input.',
    )
    .usage('EMAIL [--name NAME] [--data DIR]')
    .addHelpText(
      'after',
      `
Flags:
  --name NAME   how people see the account (the first part of the e-mail address)
  --data DIR    the data directory of "berth up" (.berth)

Variables:
  DATABASE_URL  the database, where it is not the one in the data directory`,
    )
    .argument('[parameters...]')
    .allowUnknownOption()
    .action(async (parameters: string[]) => {
      await context.runServer('admin', ['create', ...parameters]);
    });
};
