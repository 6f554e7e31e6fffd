import type { PlanName } from '@berth/core/plans';
import type { Database } from '../db/database.ts';
import type { NamespaceKeeper } from './ensure-namespace.ts';
import type { TeamNamespace } from './namespace.ts';

export interface TeamPlace {
  teamId: string;
  namespace: string;
  organizationId: string;
}

/**
 * The team's namespace as its plan of this moment wants it. The plan may change while it is being written, and another server may bring
 * the new one first; so it is read again afterwards, and whoever wrote last wrote what holds.
 */
export async function ensureTeamNamespace(
  { database, namespaces }: { database: Database; namespaces: NamespaceKeeper },
  place: TeamPlace,
): Promise<void> {
  let team = await readTeam(database, place);
  for (;;) {
    await namespaces.ensure(team);
    const now = await readTeam(database, place);
    if (now.plan === team.plan) return;
    namespaces.forget(place.namespace);
    team = now;
  }
}

async function readTeam(database: Database, { teamId, namespace, organizationId }: TeamPlace): Promise<TeamNamespace> {
  const [organization] = await database.query<{ plan: PlanName }>('select plan from organizations where id = $1', [
    organizationId,
  ]);
  return { teamId, namespace, plan: organization?.plan ?? 'free' };
}
