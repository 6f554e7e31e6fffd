import type { Deployment } from '@berth/core/deployment';
import { PHASES, type Phase } from '@berth/core/user-deployment';
import { Option } from 'commander';
import { connect, findTeam } from '../connection.ts';
import type { CliContext } from '../context.ts';
import { followTeam } from '../follow-team.ts';
import { age, describeState, show, table } from '../output.ts';
import { type CommonOptions, type Register, withCommonOptions } from './command.ts';

export const registerList: Register = (program, context) => {
  withCommonOptions(
    program
      .command('list')
      .alias('ls')
      .summary('the deployments of a team')
      .description('Lists the deployments of a team.')
      .option('--search <text>', 'only those with this in name or address')
      .addOption(new Option('--state <state>', 'only those in this state').choices(PHASES))
      .option('-w, --watch', 'show them again whenever one changes'),
  ).action((options: ListOptions) => (options.watch ? watch(context, options) : list(context, options)));
};

interface ListOptions extends CommonOptions {
  search?: string;
  state?: Phase;
  watch?: boolean;
}

async function list(context: CliContext, options: ListOptions): Promise<void> {
  const connection = connect(context, options);
  const team = await findTeam(context, connection, options);
  const items: Deployment[] = [];
  let cursor: string | undefined;
  do {
    const page = await connection.client.call('listDeployments', {
      query: { team: team.id, limit: 500, cursor, q: options.search, phase: options.state },
    });
    items.push(...page.items);
    cursor = page.next;
  } while (cursor !== undefined);
  show(context, options.output, { json: items, text: () => describe(context, items) });
}

async function watch(context: CliContext, options: ListOptions): Promise<void> {
  const connection = connect(context, options);
  const team = await findTeam(context, connection, options);
  const matches = ({ name, url = '', phase }: Deployment) =>
    (options.state === undefined || phase === options.state) &&
    (options.search === undefined || `${name} ${url}`.includes(options.search));
  let shown = '';
  for await (const { deployments } of followTeam(context, connection.client, team.id)) {
    const items = deployments.filter(matches);
    const text = options.output === 'json' ? `${JSON.stringify(items)}\n` : describe(context, items);
    if (text === shown) continue;
    context.output.write(shown === '' || options.output === 'json' ? text : `\n${text}`);
    shown = text;
  }
}

function describe(context: CliContext, items: readonly Deployment[]): string {
  if (items.length === 0) return 'Nothing is deployed here yet: "berth templates" shows what could be.\n';
  const rows = items.map((each) => [
    each.name,
    describeState(context.output, each),
    each.template ? `${each.template.name} ${each.template.version}` : '',
    each.url ?? '',
    age(each.createdAt, context.now()),
  ]);
  return table(context.output, ['NAME', 'STATE', 'TEMPLATE', 'ADDRESS', 'AGE'], rows);
}
