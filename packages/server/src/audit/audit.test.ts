import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../testing/app.ts';
import { createTestDatabase, type TestDatabase } from '../testing/postgres.ts';
import { createTwoTenants, joinTeam, type TestTenant } from '../testing/tenants.ts';
import { type AuditEntry, appendAudit } from './append-audit.ts';
import { verifyAudit } from './verify-audit.ts';

let database: TestDatabase;
let app: TestApp;
let owner: TestTenant;
let stranger: TestTenant;

beforeEach(async () => {
  database = await createTestDatabase();
  app = await createTestApp({ database });
  ({ owner, stranger } = await createTwoTenants(database));
});
afterEach(async () => {
  await app.close();
  await database.close();
});

const entry = (extra: Partial<AuditEntry> = {}): AuditEntry => ({
  at: new Date(),
  actor: 'system:observer',
  action: 'deployment:update',
  outcome: 'allowed',
  ...extra,
});
const append = (extra?: Partial<AuditEntry>) =>
  database.transaction((transaction) => appendAudit(transaction, entry(extra)));
/** What nobody can do but whoever owns the database. */
const tamper = (statement: string) =>
  database.transaction(async (transaction) => {
    await transaction.execute('alter table audit_records disable trigger audit_is_append_only');
    await transaction.execute(statement);
    await transaction.execute('alter table audit_records enable trigger audit_is_append_only');
  });
const rename = (name: string) =>
  app.as(owner, { method: 'PATCH', url: `/api/organizations/${owner.organizationId}`, payload: { name } });

describe('the audit chain', () => {
  it('has no gap and no fork when many write at once', async () => {
    await Promise.all(Array.from({ length: 30 }, (_, index) => append({ detail: `${index}` })));
    expect(await verifyAudit(database)).toEqual({ sound: true, records: 30 });
  });

  it.each([
    ['changed', "update audit_records set actor = 'somebody else' where sequence = 2", 2],
    ['removed', 'delete from audit_records where sequence = 2', 3],
    ['cut from the end', 'delete from audit_records where sequence = 4', 4],
    ['moved in time', "update audit_records set at = at + interval '1 ms' where sequence = 3", 3],
    ['given another hash', "update audit_records set hash = repeat('f', 64) where sequence = 4", 4],
  ])('shows that a record was %s', async (_what, statement, brokenAt) => {
    for (const detail of ['1', '2', '3', '4']) await append({ detail });
    expect((await verifyAudit(database)).sound).toBe(true);
    await tamper(statement);
    expect(await verifyAudit(database)).toEqual({ sound: false, brokenAt });
  });

  it.each(["update audit_records set actor = 'x'", 'delete from audit_records', 'truncate audit_records'])(
    'is not changed by mistake: %s',
    async (statement) => {
      await append();
      await expect(database.execute(statement)).rejects.toThrow(/append-only/);
    },
  );

  it('takes whatever a request may say, and keeps within bounds', async () => {
    await append({ target: 'a\0b\ud800', detail: 'x'.repeat(10_000) });
    const [row] = await database.query<{ target: string; detail: string }>('select target, detail from audit_records');
    expect(row).toEqual({ target: 'a\uFFFDb\uFFFD', detail: 'x'.repeat(500) });
    expect((await verifyAudit(database)).sound).toBe(true);
  });
});

describe('a change and its record', () => {
  const name = async () =>
    (await database.query<{ name: string }>('select name from organizations where id = $1', [owner.organizationId]))[0]
      ?.name;

  it('are both there or neither: what cannot be recorded does not happen', async () => {
    await database.execute('delete from audit_tail');
    expect((await rename('Unrecorded')).statusCode).toBe(500);
    expect(await name()).toBe("Owner's organization");
  });

  it('that fails leaves a record of the failure and nothing else', async () => {
    const answer = await app.as(owner, {
      method: 'POST',
      url: `/api/teams/${owner.teamId}/members`,
      payload: { email: 'nobody@example.com', role: 'viewer' },
    });
    expect(answer.statusCode).toBe(400);
    expect(await database.query('select outcome, status, actor_id, action, team_id from audit_records')).toEqual([
      { outcome: 'failed', status: 400, actorId: owner.userId, action: 'team:members', teamId: owner.teamId },
    ]);
  });

  it('is recorded also when its body could not be read', async () => {
    await app.as(owner, {
      method: 'POST',
      url: '/api/organizations',
      payload: '{',
      headers: { 'content-type': 'application/json' },
    });
    expect(await database.query('select outcome, status, actor, detail from audit_records')).toEqual([
      { outcome: 'failed', status: 400, actor: owner.email, detail: undefined },
    ]);
  });

  it('that is hidden cannot be looked for without leaving a trace', async () => {
    await database.execute('delete from audit_tail');
    const answer = await app.as(stranger, { url: `/api/teams/${owner.teamId}` });
    expect(answer.statusCode).toBe(500);
  });

  it('never shows a password or a token', async () => {
    await app.as(undefined, {
      method: 'POST',
      url: '/api/login',
      payload: { email: 'a@b.c', password: 'hunter2hunter2' },
    });
    await app.as(owner, {
      method: 'POST',
      url: '/api/me/password',
      payload: { current: 'hunter2hunter2', next: 'hunter3hunter3' },
    });
    const made = await app.as(owner, { method: 'POST', url: '/api/tokens', payload: { name: 'laptop' } });
    const text = JSON.stringify(await database.query('select * from audit_records'));
    expect(text).not.toMatch(/hunter/);
    expect(text).not.toContain(made.json().token);
    expect(text).toContain('a@b.c');
  });
});

describe('the audit log of a team', () => {
  it('is told in pages, newest first, to its admins', async () => {
    for (let index = 0; index < 5; index++) {
      await append({ teamId: owner.teamId, detail: `${index}` });
      await append({ teamId: stranger.teamId, detail: 'not theirs' });
    }
    const page = async (cursor = '') =>
      (await app.as(owner, { url: `/api/audit?team=${owner.teamId}&limit=2${cursor}` })).json();
    const first = await page();
    expect(first.items.map(({ detail }: { detail: string }) => detail)).toEqual(['4', '3']);
    const second = await page(`&cursor=${first.next}`);
    expect(second.items.map(({ detail }: { detail: string }) => detail)).toEqual(['2', '1']);
    const third = await page(`&cursor=${second.next}`);
    expect(third.items.map(({ detail }: { detail: string }) => detail)).toEqual(['0']);
    expect(third.next).toBeUndefined();
    const bad = await app.as(owner, { url: `/api/audit?team=${owner.teamId}&cursor=x` });
    expect(bad.json().fields[0].path).toBe('cursor');
  });

  it('is not told to developers, and that they asked is in it', async () => {
    await joinTeam(database, stranger, owner, 'developer');
    const answer = await app.as(stranger, { url: `/api/audit?team=${owner.teamId}` });
    expect(answer.json().right.permission).toBe('audit:read');
    const [denied] = (await app.as(owner, { url: `/api/audit?team=${owner.teamId}` })).json().items;
    expect(denied).toMatchObject({ actor: stranger.email, outcome: 'denied', status: 403, action: 'audit:read' });
  });
});
