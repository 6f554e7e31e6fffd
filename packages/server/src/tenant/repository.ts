import type { OrganizationRole, TeamRole } from '@berth/core/permissions';
import type { PlanName } from '@berth/core/plans';
import type { Queryable, Transaction } from '../db/database.ts';

/** SQL of organizations and teams. */
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
      { prepared: 'team_place' },
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

/** Tells the plan that it had, or undefined when there is no such organization. Whoever counts its slots waits for the commit. */
export async function replacePlan(transaction: Transaction, id: string, plan: PlanName): Promise<PlanName | undefined> {
  const [row] = await transaction.query<{ before: PlanName }>(
    `update organizations o set plan = $2
     from (select id, plan from organizations where id = $1 for no key update) previous
     where o.id = previous.id returning previous.plan as before`,
    [id, plan],
  );
  return row?.before;
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

export async function lockUser(transaction: Transaction, id: string): Promise<void> {
  await transaction.execute('select 1 from users where id = $1 for no key update', [id]);
}

export async function count(database: Queryable, text: string, id: string): Promise<number> {
  const [row] = await database.query<{ many: number }>(text, [id]);
  return row?.many ?? 0;
}
