import type { CliContext } from '../context.ts';
import { CliError, EXIT_CODES } from '../exit-codes.ts';
import { findDeployment } from '../find-deployment.ts';
import { type CommonOptions, type Register, withCommonOptions } from './command.ts';

export const registerOpen: Register = (program, context) => {
  withCommonOptions(
    program
      .command('open')
      .summary('its page in the browser')
      .description('Opens the page of a deployment in the browser.')
      .argument('<name>'),
  ).action((name: string, options: CommonOptions) => open(context, name, options));
};

async function open(context: CliContext, name: string, options: CommonOptions): Promise<void> {
  const { deployment } = await findDeployment(context, name, options);
  if (deployment.url === undefined) throw new CliError(EXIT_CODES.failure, `${name} has no public address`);
  context.output.write(`${deployment.url}\n`);
  await context.openInBrowser(deployment.url);
}
