import type { Database } from '../db/database.ts';
import type { Logger } from '../logger.ts';
import type { NamespaceKeeper } from './ensure-namespace.ts';
import { ensureTeamNamespace, type TeamPlace } from './ensure-team-namespace.ts';

interface SweepDeps {
  database: Database;
  namespaces: NamespaceKeeper;
  logger: Logger;
}

/** Makes again what somebody removed by hand from a namespace in which something is wanted: a credential, a policy. */
export async function sweepNamespaces({ database, namespaces, logger }: SweepDeps): Promise<void> {
  const teams = await database.query<TeamPlace>(
    `select id as team_id, namespace, organization_id from teams t
     where exists (select 1 from deployments d where d.team_id = t.id and d.desired <> 'deleted')`,
  );
  for (const team of teams) {
    await ensureTeamNamespace({ database, namespaces }, team).catch((err: unknown) => {
      logger.warn({ namespace: team.namespace, err }, 'namespace could not be looked after');
    });
  }
}
