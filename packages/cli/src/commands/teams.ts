import { PLANS } from '@berth/core/plans';
import { connect, findTeam, findUrl } from '../connection.ts';
import type { CliContext } from '../context.ts';
import { CliError, EXIT_CODES } from '../exit-codes.ts';
import { show, table } from '../output.ts';
import { readConfig, saveProfile } from '../profile.ts';
import { type CommonOptions, type Register, withCommonOptions } from './command.ts';

export const registerTeams: Register = (program, context) => {
  withCommonOptions(
    program
      .command('teams')
      .summary('your teams')
      .description('Lists your teams; a star marks the one that commands are about.'),
  ).action((options: CommonOptions) => list(context, options));
  const team = program
    .command('team')
    .summary('choose a team')
    .description('Chooses the team that commands are about.');
  withCommonOptions(
    team
      .command('use')
      .summary('use a team from now on')
      .description('Uses this team from now on.')
      .argument('<team>', 'its name, ORGANIZATION/NAME or id'),
  ).action((name: string, options: CommonOptions) => use(context, name, options));
};

async function list(context: CliContext, options: CommonOptions): Promise<void> {
  const connection = connect(context, options);
  const current = await findTeam(context, connection, options);
  const { items } = await connection.client.call('listTeams');
  const { organizations } = await connection.client.call('getMe');
  const plans = new Map(organizations.map(({ id, plan }) => [id, PLANS[plan].displayName]));
  show(context, options.output, {
    json: items,
    text: () =>
      table(
        context.output,
        [' ', 'ORGANIZATION', 'NAME', 'ROLE', 'PLAN', 'ID'],
        items.map((each) => [
          each.id === current.id ? '*' : ' ',
          each.organizationName,
          each.name,
          each.role ?? '',
          plans.get(each.organizationId) ?? '',
          each.id,
        ]),
      ),
  });
}

async function use(context: CliContext, name: string, options: CommonOptions): Promise<void> {
  const connection = connect(context, options);
  const team = await findTeam(context, connection, { ...options, team: name });
  const profile = readConfig(context).profiles[findUrl(context, options)];
  if (!profile)
    throw new CliError(EXIT_CODES.usage, 'with BERTH_TOKEN there is no sign-in to remember it in: set BERTH_TEAM');
  saveProfile(context, { ...profile, team: team.id });
  context.output.write(`Commands are about ${team.organizationName}/${team.name} from now on.\n`);
}
