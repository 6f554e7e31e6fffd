import type { OrganizationRole, TeamRole } from '@berth/core/permissions';
import type { PlanName } from '@berth/core/plans';
import type { Member } from '@berth/core/tenant';
import type { Queryable, Transaction } from '../db/database.ts';

/** SQL of organizations, teams and their members. */
export interface OrganizationRow {
  id: string;
  name: string;
  personal: boolean;
  plan: PlanName;
  createdAt: Date;
  /** Of the person that was asked for. */
  role?: OrganizationRole;
}

export interface TeamRow {
  id: string;
  name: string;
  organizationId: string;
  organizationName: string;
  namespace: string;
  createdAt: Date;
  role?: TeamRole;
  organizationRole?: OrganizationRole;
}

const ORGANIZATION = `select o.id, o.name, o.personal, o.plan, o.created_at, m.role
  from organizations o left join organization_members m on m.organization_id = o.id and m.user_id = $1`;

const TEAM = `select t.id, t.name, t.organization_id, o.name as organization_name, t.namespace, t.created_at,
    m.role, om.role as organization_role
  from teams t join organizations o on o.id = t.organization_id
  left join team_members m on m.team_id = t.id and m.user_id = $1
  left join organization_members om on om.organization_id = o.id and om.user_id = $1`;

export function findOrganizations(database: Queryable, userId: string): Promise<OrganizationRow[]> {
  return database.query(`${ORGANIZATION} where m.role is not null order by o.created_at, o.id`, [userId]);
}

export async function findOrganization(
  database: Queryable,
  id: string,
  userId: string,
): Promise<OrganizationRow | undefined> {
  return (await database.query<OrganizationRow>(`${ORGANIZATION} where o.id = $2`, [userId, id]))[0];
}

/** Every team of which the person, or their organization's role, may know. */
export function findTeams(database: Queryable, userId: string): Promise<TeamRow[]> {
  return database.query(
    `${TEAM} where m.role is not null or om.role in ('org_owner', 'org_admin') order by t.created_at, t.id`,
    [userId],
  );
}

export async function findTeam(database: Queryable, id: string, userId: string): Promise<TeamRow | undefined> {
  return (await database.query<TeamRow>(`${TEAM} where t.id = $2`, [userId, id]))[0];
}

export async function findTeamPlace(
  database: Queryable,
  id: string,
): Promise<{ id: string; organizationId: string } | undefined> {
  return (
    await database.query<{ id: string; organizationId: string }>(
      'select id, organization_id from teams where id = $1',
      [id],
    )
  )[0];
}

export async function insertOrganization(
  transaction: Transaction,
  row: Pick<OrganizationRow, 'id' | 'name' | 'personal' | 'plan' | 'createdAt'>,
): Promise<void> {
  await transaction.execute(
    'insert into organizations (id, name, personal, plan, created_at) values ($1, $2, $3, $4, $5)',
    [row.id, row.name, row.personal, row.plan, row.createdAt],
  );
}

export async function renameOrganization(transaction: Transaction, id: string, name: string): Promise<void> {
  await transaction.execute('update organizations set name = $2 where id = $1', [id, name]);
}

export async function insertTeam(
  transaction: Transaction,
  row: Pick<TeamRow, 'id' | 'organizationId' | 'name' | 'namespace' | 'createdAt'>,
): Promise<void> {
  await transaction.execute(
    'insert into teams (id, organization_id, name, namespace, created_at) values ($1, $2, $3, $4, $5)',
    [row.id, row.organizationId, row.name, row.namespace, row.createdAt],
  );
}

/** Holds the organization still: whoever counts its teams counts them after this. */
export async function lockOrganization(transaction: Transaction, id: string): Promise<void> {
  await transaction.execute('select 1 from organizations where id = $1 for update', [id]);
}

/** Holds a team's membership still, and tells the plan that limits it. */
export async function lockTeam(transaction: Transaction, id: string): Promise<PlanName | undefined> {
  const [row] = await transaction.query<{ plan: PlanName }>(
    'select o.plan from teams t join organizations o on o.id = t.organization_id where t.id = $1 for no key update of t',
    [id],
  );
  return row?.plan;
}

export async function countTeams(database: Queryable, organizationId: string): Promise<number> {
  return count(database, 'select count(*) as many from teams where organization_id = $1', organizationId);
}

export async function countOwnedOrganizations(database: Queryable, userId: string): Promise<number> {
  return count(
    database,
    "select count(*) as many from organization_members where user_id = $1 and role = 'org_owner'",
    userId,
  );
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

export async function lockUser(transaction: Transaction, id: string): Promise<void> {
  await transaction.execute('select 1 from users where id = $1 for no key update', [id]);
}

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

async function count(database: Queryable, text: string, id: string): Promise<number> {
  const [row] = await database.query<{ many: number }>(text, [id]);
  return row?.many ?? 0;
}
