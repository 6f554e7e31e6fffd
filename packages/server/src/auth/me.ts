import type { Me } from '@berth/core/tenant';
import type { Queryable } from '../db/database.ts';
import { presentOrganization, presentTeam } from '../tenant/present.ts';
import { findOrganizations, findTeams } from '../tenant/repository.ts';
import type { Actor } from './actor.ts';

export async function describeMe(
  database: Queryable,
  actor: Pick<Actor, 'userId' | 'email' | 'name' | 'platformAdmin' | 'authentication'>,
): Promise<Me> {
  const organizations = await findOrganizations(database, actor.userId);
  const teams = await findTeams(database, actor.userId);
  return {
    user: { id: actor.userId, email: actor.email, name: actor.name, platformAdmin: actor.platformAdmin },
    authentication: actor.authentication.kind,
    organizations: organizations.map(presentOrganization),
    teams: teams.map(presentTeam),
  };
}
