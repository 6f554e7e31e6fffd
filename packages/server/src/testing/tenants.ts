import { randomBytes } from 'node:crypto';
import { idsFrom } from '@berth/core/ids';
import type { TeamRole } from '@berth/core/permissions';
import { createUser } from '../auth/accounts.ts';
import { newCookieSecret, newToken, secretHash } from '../auth/credentials.ts';
import { insertLogin, insertToken } from '../auth/login-repository.ts';
import { systemClock } from '../clock.ts';
import type { Database } from '../db/database.ts';
import { createOrganizationWithTeam } from '../tenant/create-organization.ts';
import { insertMember, insertOrganizationMember } from '../tenant/member-repository.ts';

/** Makes tenants for tests: each test its own, so that none sees another's. */
export interface TestTenant {
  userId: string;
  email: string;
  name: string;
  organizationId: string;
  teamId: string;
  namespace: string;
  personalTeamId: string;
  loginId: string;
  /** Value of the login's cookie. */
  cookie: string;
  token: string;
}

const DAY_MS = 86_400_000;
const maker = { clock: systemClock, newId: idsFrom(randomBytes), defaultPlan: 'business' } as const;

/** A person with an organization and a team of their own, signed in both ways. */
export async function createTenant(
  database: Database,
  name = 'Person',
  options: { plan?: 'free' | 'business' | 'enterprise' } = {},
): Promise<TestTenant> {
  const email = `${name.toLowerCase().replaceAll(' ', '-')}-${maker.newId()}@example.com`;
  return database.transaction(async (transaction) => {
    const user = await createUser(transaction, maker, { email, name, platformAdmin: false });
    if (!user) throw new Error(`${email} is there already`);
    const { organization, team } = await createOrganizationWithTeam(
      transaction,
      { ...maker, defaultPlan: options.plan ?? 'business' },
      { name: `${name}'s organization`, ownerId: user.id },
    );
    const [personal] = await transaction.query<{ id: string }>(
      `select t.id from teams t join organizations o on o.id = t.organization_id and o.personal
       join organization_members m on m.organization_id = o.id where m.user_id = $1`,
      [user.id],
    );
    const login = { cookie: newCookieSecret(randomBytes), id: maker.newId() };
    const token = newToken(randomBytes);
    const now = maker.clock();
    const times = { createdAt: now, expiresAt: new Date(now.getTime() + DAY_MS) };
    await insertLogin(transaction, {
      ...times,
      id: login.id,
      userId: user.id,
      lastUsedAt: now,
      secretHash: secretHash(login.cookie),
      address: '127.0.0.1',
    });
    await insertToken(transaction, {
      ...times,
      id: maker.newId(),
      userId: user.id,
      name: 'test',
      secretHash: secretHash(token),
    });
    return {
      userId: user.id,
      email,
      name,
      organizationId: organization.id,
      teamId: team.id,
      namespace: team.namespace,
      personalTeamId: personal?.id ?? '',
      loginId: login.id,
      cookie: login.cookie,
      token,
    };
  });
}

/** Two people who have nothing in common: what one owns the other must not see. */
export async function createTwoTenants(database: Database): Promise<{ owner: TestTenant; stranger: TestTenant }> {
  return { owner: await createTenant(database, 'Owner'), stranger: await createTenant(database, 'Stranger') };
}

/** Makes a person a member of another's team. */
export async function joinTeam(
  database: Database,
  member: TestTenant,
  team: TestTenant,
  role: TeamRole,
): Promise<void> {
  await database.transaction(async (transaction) => {
    await insertOrganizationMember(transaction, {
      organizationId: team.organizationId,
      userId: member.userId,
      role: 'org_member',
    });
    await insertMember(transaction, { teamId: team.teamId, userId: member.userId, role });
  });
}
