import type { Deployment } from '@berth/core/deployment';
import { connect, findTeam } from '../connection.ts';
import type { CliContext } from '../context.ts';
import { age, paintPhase, show, table } from '../output.ts';
import { type CommonOptions, type Register, withCommonOptions } from './command.ts';

export const registerList: Register = (program, context) => {
  withCommonOptions(
    program
      .command('list')
      .alias('ls')
      .summary('the deployments of a team')
      .description('Lists the deployments of a team.'),
  ).action((options: CommonOptions) => list(context, options));
};

async function list(context: CliContext, options: CommonOptions): Promise<void> {
  const connection = connect(context, options);
  const team = await findTeam(context, connection, options);
  const items: Deployment[] = [];
  let cursor: string | undefined;
  do {
    const page = await connection.client.call('listDeployments', { query: { team: team.id, limit: 500, cursor } });
    items.push(...page.items);
    cursor = page.next;
  } while (cursor !== undefined);
  show(context, options.output, { json: items, text: () => describe(context, items) });
}

function describe(context: CliContext, items: readonly Deployment[]): string {
  if (items.length === 0) return 'Nothing is deployed here yet: "berth templates" shows what could be.\n';
  const rows = items.map((each) => [
    each.name,
    paintPhase(context.output, each.phase),
    each.template ? `${each.template.name} ${each.template.version}` : '',
    each.url ?? '',
    age(each.createdAt, context.now()),
  ]);
  return table(context.output, ['NAME', 'STATE', 'TEMPLATE', 'ADDRESS', 'AGE'], rows);
}
