import type { OrganizationRole, TeamRole } from '@berth/core/permissions';
import type { Member } from '@berth/core/tenant';
import type { Queryable, Transaction } from '../db/database.ts';
import { count } from './repository.ts';

/** SQL of who is in which organization and team. */
export async function insertOrganizationMember(
  transaction: Transaction,
  member: { organizationId: string; userId: string; role: OrganizationRole },
): Promise<void> {
  await transaction.execute(
    `insert into organization_members (organization_id, user_id, role) values ($1, $2, $3)
     on conflict (organization_id, user_id) do nothing`,
    [member.organizationId, member.userId, member.role],
  );
}

/** Whoever was in the organization for its teams only leaves it with the last of them. */
export async function removeIdleOrganizationMember(
  transaction: Transaction,
  organizationId: string,
  userId: string,
): Promise<void> {
  await transaction.execute(
    `delete from organization_members where organization_id = $1 and user_id = $2 and role = 'org_member'
       and not exists (select 1 from team_members m join teams t on t.id = m.team_id
         where t.organization_id = $1 and m.user_id = $2)`,
    [organizationId, userId],
  );
}

export async function insertMember(
  transaction: Transaction,
  member: { teamId: string; userId: string; role: TeamRole },
): Promise<void> {
  await transaction.execute('insert into team_members (team_id, user_id, role) values ($1, $2, $3)', [
    member.teamId,
    member.userId,
    member.role,
  ]);
}

export async function updateMemberRole(
  transaction: Transaction,
  member: { teamId: string; userId: string; role: TeamRole },
): Promise<void> {
  await transaction.execute('update team_members set role = $3 where team_id = $1 and user_id = $2', [
    member.teamId,
    member.userId,
    member.role,
  ]);
}

export async function deleteMember(transaction: Transaction, teamId: string, userId: string): Promise<void> {
  await transaction.execute('delete from team_members where team_id = $1 and user_id = $2', [teamId, userId]);
}

const MEMBER = `select u.id as user_id, u.email, u.name, m.role from team_members m join users u on u.id = m.user_id`;

export function findMembers(database: Queryable, teamId: string): Promise<Member[]> {
  return database.query(`${MEMBER} where m.team_id = $1 order by u.name, u.email`, [teamId]);
}

export async function findMember(database: Queryable, teamId: string, userId: string): Promise<Member | undefined> {
  return (await database.query<Member>(`${MEMBER} where m.team_id = $1 and m.user_id = $2`, [teamId, userId]))[0];
}

export async function countMembers(database: Queryable, teamId: string): Promise<number> {
  return count(database, 'select count(*) as many from team_members where team_id = $1', teamId);
}

export async function countTeamAdmins(database: Queryable, teamId: string): Promise<number> {
  return count(
    database,
    "select count(*) as many from team_members where team_id = $1 and role = 'team_admin'",
    teamId,
  );
}

export async function countOrganizationAdmins(database: Queryable, organizationId: string): Promise<number> {
  return count(
    database,
    "select count(*) as many from organization_members where organization_id = $1 and role in ('org_owner', 'org_admin')",
    organizationId,
  );
}
