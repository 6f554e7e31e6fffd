import { type OrganizationRole, type Permission, permissionsOf, type TeamRole } from '@berth/core/permissions';
import type { Queryable } from '../db/database.ts';

/** What a person may do in a team at this moment: they may have got another role since the stream was opened. */
export async function currentPermissions(
  queryable: Queryable,
  userId: string,
  team: { teamId: string; organizationId: string },
): Promise<ReadonlySet<Permission>> {
  const [roles] = await queryable.query<{ team?: TeamRole; organization?: OrganizationRole }>(
    `select (select role from team_members where team_id = $2 and user_id = $1) as team,
            (select role from organization_members where organization_id = $3 and user_id = $1) as organization`,
    [userId, team.teamId, team.organizationId],
  );
  return permissionsOf([roles?.team, roles?.organization].filter((role) => role !== undefined));
}
