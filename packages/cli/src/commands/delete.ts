import type { DeploymentRemoval } from '@berth/core/deployment';
import type { CliContext } from '../context.ts';
import { CliError, EXIT_CODES } from '../exit-codes.ts';
import { findDeployment } from '../find-deployment.ts';
import { show, table } from '../output.ts';
import { parseSeconds } from '../seconds.ts';
import { waitFor } from '../wait-for.ts';
import { type CommonOptions, type Register, withCommonOptions } from './command.ts';

interface DeleteOptions extends CommonOptions {
  yes?: boolean;
  wait?: boolean;
  timeout: number;
}

export const registerDelete: Register = (program, context) => {
  withCommonOptions(
    program
      .command('delete')
      .alias('rm')
      .summary('delete it with everything it has')
      .description('Deletes a deployment with its volumes, secrets and address, after showing what goes.')
      .argument('<name>')
      .option('-y, --yes', 'do not ask')
      .option('--wait', 'wait until everything is gone')
      .option('--timeout <seconds>', 'how long to wait', parseSeconds, 300),
  ).action((name: string, options: DeleteOptions) => remove(context, name, options));
};

async function remove(context: CliContext, name: string, options: DeleteOptions): Promise<void> {
  const found = await findDeployment(context, name, options);
  const { connection, deployment } = found;
  if (!options.yes)
    await confirm(context, name, await connection.client.call('getRemoval', { params: { id: deployment.id } }));
  const deleting = await connection.client.call('deleteDeployment', { params: { id: deployment.id } });
  if (options.wait) {
    const goal = { what: 'to go', reached: (now: unknown) => now === undefined, timeoutMs: options.timeout * 1000 };
    await waitFor(context, { ...found, deployment: deleting }, goal);
  }
  show(context, options.output, {
    json: deleting,
    text: () => `${name} ${options.wait ? 'is gone' : 'is being deleted'}\n`,
  });
}

async function confirm(context: CliContext, name: string, { items }: DeploymentRemoval): Promise<void> {
  const rows = items.map(({ kind, name: item, detail }) => [kind, item, detail]);
  context.output.note(
    `This goes with ${name}, for good:\n${table(context.output, ['KIND', 'NAME', 'WHAT IS LOST'], rows)}`,
  );
  if (!context.input.isTerminal)
    throw new CliError(EXIT_CODES.usage, 'nobody is there to be asked: add --yes to delete it');
  const answer = await context.input.ask(`Type ${name} to delete it: `);
  if (answer.trim() !== name) throw new CliError(EXIT_CODES.failure, 'nothing was deleted');
}
