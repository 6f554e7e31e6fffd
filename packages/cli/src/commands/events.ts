import type { CliContext } from '../context.ts';
import { findDeployment } from '../find-deployment.ts';
import { age, type Colour, paint, show, table } from '../output.ts';
import { type CommonOptions, type Register, withCommonOptions } from './command.ts';

const LEVEL_COLOURS: Record<string, Colour> = { ok: 'green', warning: 'yellow', failure: 'red' };

export const registerEvents: Register = (program, context) => {
  withCommonOptions(
    program
      .command('events')
      .summary('what happened to it')
      .description('Shows what happened to a deployment, newest first.')
      .argument('<name>'),
  ).action((name: string, options: CommonOptions) => events(context, name, options));
};

async function events(context: CliContext, name: string, options: CommonOptions): Promise<void> {
  const { connection, deployment } = await findDeployment(context, name, options);
  const { items } = await connection.client.call('listDeploymentActivity', { params: { id: deployment.id } });
  const { output } = context;
  show(context, options.output, {
    json: items,
    text: () =>
      table(
        output,
        ['AGE', 'KIND', 'SERVICE', 'BY', 'MESSAGE'],
        items.map((each) => [
          age(each.at, context.now()),
          paint(output, LEVEL_COLOURS[each.level] ?? 'grey', each.kind),
          each.service ?? '',
          each.by ?? '',
          each.message,
        ]),
      ),
  });
}
