import type { OrganizationRole, TeamRole } from '@berth/core/permissions';
import type { Queryable, Transaction } from '../db/database.ts';
import type { Actor, Authentication } from './actor.ts';

export interface UserRow {
  id: string;
  email: string;
  name: string;
  passwordHash?: string;
  platformAdmin: boolean;
  createdAt: Date;
}

export async function findUserByEmail(database: Queryable, email: string): Promise<UserRow | undefined> {
  return (await database.query<UserRow>('select * from users where email = $1', [email]))[0];
}

export async function findUserById(database: Queryable, id: string): Promise<UserRow | undefined> {
  return (await database.query<UserRow>('select * from users where id = $1', [id]))[0];
}

/** False when the e-mail has an account. Waits for another transaction that is making it. */
export async function insertUser(transaction: Transaction, user: UserRow): Promise<boolean> {
  const inserted = await transaction.execute(
    `insert into users (id, email, name, password_hash, platform_admin, created_at) values ($1, $2, $3, $4, $5, $6)
     on conflict (email) do nothing`,
    [user.id, user.email, user.name, user.passwordHash, user.platformAdmin, user.createdAt],
  );
  return inserted === 1;
}

export async function updatePasswordHash(transaction: Transaction, userId: string, hash: string): Promise<void> {
  await transaction.execute('update users set password_hash = $2 where id = $1', [userId, hash]);
}

export async function anyAdministrator(database: Queryable): Promise<boolean> {
  const rows = await database.query('select 1 from users where platform_admin and password_hash is not null limit 1');
  return rows.length > 0;
}

interface ActorRow {
  id: string;
  email: string;
  name: string;
  platformAdmin: boolean;
  personalTeamId?: string;
  organizationRoles: Record<string, OrganizationRole>;
  teamRoles: Record<string, TeamRole>;
}

/** One query a request: the roles as they are now, so that taking one away works at once. */
export async function findActor(
  database: Queryable,
  userId: string,
  authentication: Authentication,
): Promise<Actor | undefined> {
  const [row] = await database.query<ActorRow>(
    `select u.id, u.email, u.name, u.platform_admin,
      (select coalesce(json_object_agg(organization_id, role), '{}') from organization_members where user_id = u.id)
        as organization_roles,
      (select coalesce(json_object_agg(team_id, role), '{}') from team_members where user_id = u.id) as team_roles,
      (select t.id from teams t join organizations o on o.id = t.organization_id and o.personal
        join organization_members m on m.organization_id = o.id and m.user_id = u.id and m.role = 'org_owner'
        order by t.created_at, t.id limit 1) as personal_team_id
     from users u where u.id = $1`,
    [userId],
    { prepared: 'actor' },
  );
  if (!row) return undefined;
  return {
    userId: row.id,
    email: row.email,
    name: row.name,
    platformAdmin: row.platformAdmin,
    authentication,
    personalTeamId: row.personalTeamId,
    organizationRoles: new Map(Object.entries(row.organizationRoles)),
    teamRoles: new Map(Object.entries(row.teamRoles)),
  };
}
