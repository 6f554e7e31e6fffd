import type { Team } from '@berth/core/tenant';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../testing/app.ts';
import { createTestDatabase, type TestDatabase } from '../testing/postgres.ts';
import { createTenant, createTwoTenants, joinTeam, type TestTenant } from '../testing/tenants.ts';

let database: TestDatabase;
let app: TestApp;
let owner: TestTenant;
let stranger: TestTenant;

beforeAll(async () => {
  database = await createTestDatabase();
  app = await createTestApp({ database, settings: { defaultPlan: 'free' } });
});
beforeEach(async () => {
  ({ owner, stranger } = await createTwoTenants(database));
});
afterAll(async () => {
  await app.close();
  await database.close();
});

const membersUrl = (team: TestTenant, userId = '') => `/api/teams/${team.teamId}/members${userId && `/${userId}`}`;
const add = (as: TestTenant, email: string, role = 'developer') =>
  app.as(as, { method: 'POST', url: membersUrl(owner), payload: { email, role } });
const members = async () => (await app.as(owner, { url: membersUrl(owner) })).json<{ items: object[] }>().items;

describe('an organization', () => {
  it('comes with a team, in which its maker may do everything', async () => {
    const made = await app.as(owner, { method: 'POST', url: '/api/organizations', payload: { name: ' Bakery ' } });
    expect(made.json()).toMatchObject({ name: 'Bakery', personal: false, plan: 'free', role: 'org_owner' });
    const teams = (await app.as(owner, { url: '/api/teams' })).json<{ items: Team[] }>().items;
    const team = teams.find(({ organizationId }) => organizationId === made.json().id);
    expect(team).toMatchObject({ name: 'Main', role: 'team_admin', organizationName: 'Bakery' });
    expect(team?.namespace).toBe(`berth-${team?.id}`);
    expect(team?.permissions).toContain('team:members');
  });

  it('is renamed without moving anything', async () => {
    const url = `/api/organizations/${owner.organizationId}`;
    const renamed = await app.as(owner, { method: 'PATCH', url, payload: { name: 'Patisserie' } });
    expect(renamed.json().name).toBe('Patisserie');
    expect((await app.as(owner, { url: `/api/teams/${owner.teamId}` })).json()).toMatchObject({
      organizationName: 'Patisserie',
      namespace: owner.namespace,
    });
  });

  it('has no two teams of one name, also when both are made at once', async () => {
    const make = () =>
      app.as(owner, {
        method: 'POST',
        url: `/api/organizations/${owner.organizationId}/teams`,
        payload: { name: 'Kitchen' },
      });
    const answers = await Promise.all([make(), make()]);
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([201, 409]);
    expect(answers.find(({ statusCode }) => statusCode === 409)?.json()).toMatchObject({
      code: 'name_taken',
      fields: [{ path: 'name' }],
    });
  });

  it('is seen by its members, who may not change it and learn who may', async () => {
    await joinTeam(database, stranger, owner, 'viewer');
    const url = `/api/organizations/${owner.organizationId}`;
    expect((await app.as(stranger, { url })).json().role).toBe('org_member');
    const refused = await app.as(stranger, { method: 'PATCH', url, payload: { name: 'Mine' } });
    expect([refused.statusCode, refused.json().right]).toEqual([
      403,
      { permission: 'organization:update', grantedBy: 'an owner of the organization' },
    ]);
  });

  it('gets its plan from an administrator of the platform, who need not be a member, and that is recorded', async () => {
    await database.execute('update users set platform_admin = true where id = $1', [stranger.userId]);
    const url = `/api/organizations/${owner.organizationId}`;
    const change = (plan: string, at = url) =>
      app.as(stranger, { method: 'PATCH', url: `${at}/plan`, payload: { plan } });
    const changed = await change('enterprise');
    expect([changed.statusCode, changed.json()]).toEqual([
      200,
      expect.objectContaining({ id: owner.organizationId, plan: 'enterprise' }),
    ]);
    expect(changed.json()).not.toHaveProperty('role');
    const [record] = await database.query('select * from audit_records where actor_id = $1', [stranger.userId]);
    expect(record).toMatchObject({
      action: 'platform:admin',
      outcome: 'allowed',
      target: owner.organizationId,
      organizationId: owner.organizationId,
      detail: 'plan enterprise, was business',
    });
    // The plan is all that the right opens.
    expect((await app.as(stranger, { url })).statusCode).toBe(404);
    expect((await change('huge')).json()).toMatchObject({ code: 'invalid_input', fields: [{ path: 'plan' }] });
    expect((await change('free', '/api/organizations/a0a0a0a0a0a0a0a0')).statusCode).toBe(404);
  });

  it('lets nobody else change its plan: neither its owner nor its members, who learn who may, nor strangers', async () => {
    const url = `/api/organizations/${owner.organizationId}`;
    const change = (who: TestTenant) => app.as(who, { method: 'PATCH', url: `${url}/plan`, payload: { plan: 'free' } });
    expect((await change(stranger)).statusCode).toBe(404);
    await joinTeam(database, stranger, owner, 'team_admin');
    for (const who of [owner, stranger]) {
      const refused = await change(who);
      expect([refused.statusCode, refused.json().right]).toEqual([
        403,
        { permission: 'platform:admin', grantedBy: 'an administrator of the platform' },
      ]);
    }
    expect((await app.as(owner, { url })).json().plan).toBe('business');
  });

  it('lets its owner into every team of it, and its members into their own only', async () => {
    await joinTeam(database, stranger, owner, 'team_admin');
    const made = await app.as(owner, {
      method: 'POST',
      url: `/api/organizations/${owner.organizationId}/teams`,
      payload: { name: 'Kitchen' },
    });
    const url = `/api/teams/${made.json().id}`;
    await app.as(owner, { method: 'DELETE', url: `${url}/members/${owner.userId}` });
    expect((await app.as(owner, { url })).json<Team>().permissions).toContain('deployment:create');
    expect((await app.as(stranger, { url })).statusCode).toBe(404);
    const listed = (await app.as(stranger, { url: '/api/teams' })).json<{ items: Team[] }>().items;
    expect(listed.map(({ id }) => id).sort()).toEqual([owner.teamId, stranger.teamId, stranger.personalTeamId].sort());
  });
});

describe('a team', () => {
  it('takes in people who have an account, and no others', async () => {
    const joined = await add(owner, stranger.email.toUpperCase(), 'viewer');
    expect(joined.json()).toEqual({ userId: stranger.userId, email: stranger.email, name: 'Stranger', role: 'viewer' });
    expect((await add(owner, stranger.email)).json().code).toBe('conflict');
    expect((await add(owner, 'nobody@example.com')).json().fields[0]).toMatchObject({ path: 'email' });
    expect(await members()).toHaveLength(2);
  });

  it.each([
    ['viewer', 403],
    ['developer', 403],
    ['team_admin', 201],
  ] as const)('lets a %s add a member: %i', async (role, status) => {
    await joinTeam(database, stranger, owner, role);
    const { email } = await createTenant(database, 'Newcomer');
    const answer = await add(stranger, email);
    expect(answer.statusCode).toBe(status);
    if (status === 403) {
      expect(answer.json()).toMatchObject({
        code: 'forbidden',
        right: { permission: 'team:members', grantedBy: 'an admin of the team or of its organization' },
      });
    }
  });

  it('takes effect at once: a role that is taken away is gone with the next request', async () => {
    await joinTeam(database, stranger, owner, 'developer');
    const see = () => app.as(stranger, { url: `/api/teams/${owner.teamId}` });
    expect((await see()).json().role).toBe('developer');
    const url = membersUrl(owner, stranger.userId);
    await app.as(owner, { method: 'PATCH', url, payload: { role: 'viewer' } });
    expect((await see()).json<Team>().permissions).not.toContain('deployment:create');
    expect((await app.as(owner, { method: 'DELETE', url })).statusCode).toBe(204);
    expect((await see()).statusCode).toBe(404);
    expect((await app.as(stranger, { url: `/api/organizations/${owner.organizationId}` })).statusCode).toBe(404);
  });

  it('has as many members as the plan allows, also when many are added at once', async () => {
    await database.execute("update organizations set plan = 'business' where id = $1", [owner.organizationId]);
    const people = await Promise.all(Array.from({ length: 12 }, () => createTenant(database, 'Newcomer')));
    const answers = await Promise.all(people.map(({ email }) => add(owner, email)));
    expect(answers.filter(({ statusCode }) => statusCode === 201)).toHaveLength(9);
    const refused = answers.filter(({ statusCode }) => statusCode === 403);
    expect(refused).toHaveLength(3);
    for (const answer of refused) {
      expect(answer.json()).toMatchObject({
        code: 'limit_reached',
        limit: { resource: 'members', used: 10, allowed: 10 },
      });
    }
    expect(await members()).toHaveLength(10);
  });

  it('keeps its last admin when nobody else could manage it', async () => {
    await joinTeam(database, stranger, owner, 'team_admin');
    await database.execute('delete from organization_members where organization_id = $1 and user_id = $2', [
      owner.organizationId,
      owner.userId,
    ]);
    const leave = (who: TestTenant) => app.as(who, { method: 'DELETE', url: membersUrl(owner, who.userId) });
    const answers = await Promise.all([leave(owner), leave(stranger)]);
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([204, 409]);
    const kept = answers[0]?.statusCode === 409 ? owner : stranger;
    const demote = { method: 'PATCH', url: membersUrl(owner, kept.userId), payload: { role: 'viewer' } } as const;
    expect((await app.as(kept, demote)).json().code).toBe('conflict');
  });

  it('says that somebody is not in it', async () => {
    const answer = await app.as(owner, { method: 'DELETE', url: membersUrl(owner, stranger.userId) });
    expect([answer.statusCode, answer.json().code]).toEqual([404, 'not_found']);
  });
});
