import type { Activity } from '@berth/core/deployment';
import { connect, findTeam } from '../connection.ts';
import type { CliContext } from '../context.ts';
import { findDeployment } from '../find-deployment.ts';
import { followTeam } from '../follow-team.ts';
import { age, type Colour, oneLine, paint, show, table } from '../output.ts';
import { type CommonOptions, type Register, withCommonOptions } from './command.ts';

const LEVEL_COLOURS: Record<string, Colour> = { ok: 'green', warning: 'yellow', failure: 'red' };

export const registerEvents: Register = (program, context) => {
  withCommonOptions(
    program
      .command('events')
      .summary('what happened')
      .description('Shows what happened to a deployment, or in the whole team, newest first.')
      .argument('[name]', 'only to this deployment')
      .option('-f, --follow', 'go on with what happens'),
  ).action((name: string | undefined, options: EventsOptions) => events(context, name, options));
};

interface EventsOptions extends CommonOptions {
  follow?: boolean;
}

async function events(context: CliContext, name: string | undefined, options: EventsOptions): Promise<void> {
  if (options.follow) return follow(context, name, options);
  const items = await past(context, name, options);
  const { output } = context;
  show(context, options.output, {
    json: items,
    text: () =>
      table(
        output,
        name === undefined
          ? ['AGE', 'KIND', 'DEPLOYMENT', 'SERVICE', 'BY', 'MESSAGE']
          : ['AGE', 'KIND', 'SERVICE', 'BY', 'MESSAGE'],
        items.map((each) => [
          age(each.at, context.now()),
          paint(output, LEVEL_COLOURS[each.level] ?? 'grey', each.kind),
          ...(name === undefined ? [each.deployment ?? ''] : []),
          each.service ?? '',
          each.by ?? '',
          each.message,
        ]),
      ),
  });
}

async function past(context: CliContext, name: string | undefined, options: CommonOptions): Promise<Activity[]> {
  if (name !== undefined) {
    const { connection, deployment } = await findDeployment(context, name, options);
    return (await connection.client.call('listDeploymentActivity', { params: { id: deployment.id } })).items;
  }
  const connection = connect(context, options);
  const team = await findTeam(context, connection, options);
  return (await connection.client.call('listActivity', { query: { team: team.id } })).items;
}

/** The last ones that the stream tells, oldest first, then what comes. */
async function follow(context: CliContext, name: string | undefined, options: CommonOptions): Promise<void> {
  const connection = connect(context, options);
  const team = await findTeam(context, connection, options);
  let last = 0;
  for await (const { activity } of followTeam(context, connection.client, team.id)) {
    const fresh = activity.filter(({ id, deployment }) => id > last && (name === undefined || deployment === name));
    for (const each of fresh.reverse()) {
      const text = `${each.at}  ${paint(context.output, LEVEL_COLOURS[each.level] ?? 'grey', each.kind)}  ${oneLine(each.message)}`;
      context.output.write(`${options.output === 'json' ? JSON.stringify(each) : text}\n`);
    }
    last = Math.max(last, ...activity.map(({ id }) => id));
  }
}
