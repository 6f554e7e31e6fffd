import { connect, findTeam } from '../connection.ts';
import type { CliContext } from '../context.ts';
import { bytes, cores, show, table } from '../output.ts';
import { type CommonOptions, type Register, withCommonOptions } from './command.ts';

export const registerUsage: Register = (program, context) => {
  withCommonOptions(
    program.command('usage').summary('what a team uses of its plan').description('Shows what a team uses of its plan.'),
  ).action((options: CommonOptions) => usage(context, options));
};

async function usage(context: CliContext, options: CommonOptions): Promise<void> {
  const connection = connect(context, options);
  const team = await findTeam(context, connection, options);
  const found = await connection.client.call('getUsage', { params: { teamId: team.id } });
  const row = (name: string, use: { used: number; allowed?: number }, write: (value: number) => string) => [
    name,
    write(use.used),
    use.allowed === undefined ? 'no limit' : write(use.allowed),
  ];
  const rows = [
    row('deployments', found.deployments, String),
    row('CPU', found.cpu, cores),
    row('memory', found.memory, bytes),
    row('storage', found.storage, bytes),
  ];
  show(context, options.output, {
    json: found,
    text: () => table(context.output, [`PLAN ${found.plan.toUpperCase()}`, 'USED', 'OF'], rows),
  });
}
