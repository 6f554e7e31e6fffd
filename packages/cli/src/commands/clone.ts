import type { CliContext } from '../context.ts';
import { findDeployment } from '../find-deployment.ts';
import { facts, paintPhase, show } from '../output.ts';
import { waitFor } from '../wait-for.ts';
import { type CommonOptions, type Register, type WaitOptions, withCommonOptions, withWaitOptions } from './command.ts';

interface CloneOptions extends CommonOptions, WaitOptions {
  host?: string;
  title?: string;
}

export const registerClone: Register = (program, context) => {
  withCommonOptions(
    withWaitOptions(
      program
        .command('clone')
        .summary('another one with the same values and secrets')
        .description('Makes another deployment with the same values and secrets. Its volumes begin empty.')
        .argument('<name>')
        .argument('<new-name>')
        .option('--host <host>', 'its public address (the new name)')
        .option('--title <title>', 'how people see it'),
    ),
  ).action((name: string, newName: string, options: CloneOptions) => clone(context, { name, newName }, options));
};

async function clone(
  context: CliContext,
  { name, newName }: { name: string; newName: string },
  options: CloneOptions,
): Promise<void> {
  const found = await findDeployment(context, name, options);
  const made = await found.connection.client.call('cloneDeployment', {
    params: { id: found.deployment.id },
    body: { name: newName, displayName: options.title, host: options.host },
    idempotencyKey: context.newId(),
  });
  const goal = {
    what: 'to run',
    reached: (now: typeof made | undefined) => now?.phase === 'Running',
    timeoutMs: options.timeout * 1000,
  };
  const done = options.wait ? ((await waitFor(context, { ...found, deployment: made }, goal)) ?? made) : made;
  show(context, options.output, {
    json: done,
    text: () =>
      facts(context.output, [
        ['Deployment', done.name],
        ['State', paintPhase(context.output, done.phase)],
        ['Address', done.url],
      ]),
  });
}
