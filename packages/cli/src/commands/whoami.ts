import { PLANS } from '@berth/core/plans';
import { connect, findTeam } from '../connection.ts';
import type { CliContext } from '../context.ts';
import { facts, show } from '../output.ts';
import { type CommonOptions, type Register, withCommonOptions } from './command.ts';

export const registerWhoami: Register = (program, context) => {
  withCommonOptions(
    program
      .command('whoami')
      .summary('who you are, and where')
      .description('Shows who you are, where, and in which team.'),
  ).action((options: CommonOptions) => whoami(context, options));
};

async function whoami(context: CliContext, options: CommonOptions): Promise<void> {
  const connection = connect(context, options);
  const me = await connection.client.call('getMe');
  const team = await findTeam(context, connection, options);
  const plan = me.organizations.find(({ id }) => id === team.organizationId)?.plan;
  show(context, options.output, {
    json: me,
    text: () =>
      facts(context.output, [
        ['Account', me.user.email],
        ['Berth', connection.client.url],
        ['Team', `${team.organizationName}/${team.name}`],
        ['Plan', plan && PLANS[plan].displayName],
        ['Namespace', team.namespace],
        ['Administrator', me.user.platformAdmin ? 'yes' : undefined],
      ]),
  });
}
