import { connect } from '../connection.ts';
import type { CliContext } from '../context.ts';
import { CliError, EXIT_CODES } from '../exit-codes.ts';
import { type CommonOptions, type Register, withCommonOptions } from './command.ts';

export const registerPassword: Register = (program, context) => {
  withCommonOptions(
    program
      .command('password')
      .summary('change your password')
      .description('Changes your password; other logins end. Both passwords are asked for.'),
  ).action((options: CommonOptions) => changePassword(context, options));
};

async function changePassword(context: CliContext, options: CommonOptions): Promise<void> {
  const { client } = connect(context, options);
  if (!context.input.isTerminal)
    throw new CliError(EXIT_CODES.usage, 'passwords are asked for: run this at a terminal');
  const current = await context.input.askHidden('Your password now: ');
  const next = await context.input.askHidden('The new one: ');
  if (next !== (await context.input.askHidden('The new one again: '))) {
    throw new CliError(EXIT_CODES.usage, 'the two new ones differ; nothing was changed');
  }
  await client.call('changePassword', { body: { current, next } });
  context.output.write('Your password is changed.\n');
}
