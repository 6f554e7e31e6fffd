import type { Deployment } from '@berth/core/deployment';
import type { Team } from '@berth/core/tenant';
import { type Connection, type ConnectionOptions, connect, findTeam } from './connection.ts';
import type { CliContext } from './context.ts';
import { CliError, EXIT_CODES } from './exit-codes.ts';

export interface FoundDeployment {
  connection: Connection;
  team: Team;
  deployment: Deployment;
}

export async function findDeployment(
  context: CliContext,
  name: string,
  options: ConnectionOptions,
): Promise<FoundDeployment> {
  const connection = connect(context, options);
  const team = await findTeam(context, connection, options);
  const { items } = await connection.client.call('listDeployments', { query: { team: team.id, name } });
  const deployment = items.find((each) => each.name === name);
  if (deployment) return { connection, team, deployment };
  throw new CliError(
    EXIT_CODES.notFound,
    `there is no deployment "${name}" in the team ${team.organizationName}/${team.name}: "berth list" shows what there is`,
  );
}
