import type { Me } from '@berth/core/tenant';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../testing/app.ts';
import { createTestDatabase, type TestDatabase } from '../testing/postgres.ts';
import { createTenant, type TestTenant } from '../testing/tenants.ts';
import { hashPassword } from './password.ts';

const PASSWORD = 'correct horse battery staple';
const DAY_MS = 86_400_000;

let database: TestDatabase;
let app: TestApp;
let person: TestTenant;
let now: Date;
let passwordHash: string;

beforeAll(async () => {
  database = await createTestDatabase();
  app = await createTestApp({ database, clock: () => now });
  passwordHash = await hashPassword(PASSWORD);
});
beforeEach(async () => {
  now = new Date();
  person = await createTenant(database, 'Person');
  await database.execute('delete from rate_limits');
  await database.execute('update users set password_hash = $2 where id = $1', [person.userId, passwordHash]);
});
afterAll(async () => {
  await app.close();
  await database.close();
});

const signIn = (email: string, password: string, address = '198.51.100.7') =>
  app.as(undefined, {
    method: 'POST',
    url: '/api/login',
    payload: { email, password },
    headers: { 'x-forwarded-for': address },
  });
const cookieOf = (answer: { headers: Record<string, unknown> }) => String(answer.headers['set-cookie']);
const me = (cookie: string) => app.as({ ...person, cookie }, { url: '/api/me' });
const secretIn = (setCookie: string) => /berth_login=([^;]*)/.exec(setCookie)?.[1] ?? '';

describe('signing in', () => {
  it('gives a cookie that only the browser sees, of which only a hash is kept', async () => {
    const answer = await signIn(` ${person.email.toUpperCase()} `, PASSWORD);
    expect(answer.statusCode).toBe(200);
    expect(answer.json<Me>().user.id).toBe(person.userId);
    const cookie = cookieOf(answer);
    expect(cookie).toMatch(/^berth_login=[A-Za-z0-9_-]{43}; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Lax$/);
    expect((await me(secretIn(cookie))).statusCode).toBe(200);
    const stored = JSON.stringify(await database.query('select * from logins'));
    expect(stored).not.toContain(secretIn(cookie));
  });

  it('over TLS gives a cookie that no other host can set and no plain connection sees', async () => {
    const secure = await createTestApp({ database, settings: { publicUrl: 'https://berth.test', allowedHosts: [] } });
    const answer = await secure.as(undefined, {
      method: 'POST',
      url: '/api/login',
      payload: { email: person.email, password: PASSWORD },
      headers: { host: 'berth.test' },
    });
    expect(cookieOf(answer)).toMatch(/^__Host-berth_login=.*; HttpOnly; SameSite=Lax; Secure$/);
    expect(answer.headers['strict-transport-security']).toMatch(/max-age/);
    const plain = {
      url: '/api/me',
      headers: { host: 'berth.test', cookie: `berth_login=${secretIn(cookieOf(answer))}` },
    };
    expect((await secure.as(undefined, plain)).statusCode).toBe(401);
    await secure.close();
  });

  it('says the same of a wrong password, an unknown e-mail and an account without password', async () => {
    const passwordless = await createTenant(database, 'Passwordless');
    const answers = [
      await signIn(person.email, 'wrong password'),
      await signIn('nobody@example.com', PASSWORD),
      await signIn(passwordless.email, PASSWORD),
    ];
    for (const answer of answers) expect([answer.statusCode, answer.body]).toEqual([401, answers[0]?.body]);
    expect(answers[0]?.headers['set-cookie']).toBeUndefined();
  });

  it('takes as long for an unknown e-mail as for a known one', async () => {
    const time = async (email: string) => {
      const start = performance.now();
      await signIn(email, 'wrong password');
      return performance.now() - start;
    };
    // The fastest of three: the machine's mood only adds. Without the same work it would be a tenth.
    const fastest = async (email: string) => Math.min(await time(email), await time(email), await time(email));
    const known = await fastest(person.email);
    expect(await fastest('nobody@example.com')).toBeGreaterThan(known / 4);
  });

  it('is slowed down per e-mail, also for a burst, and says for how long', async () => {
    const burst = await Promise.all(
      Array.from({ length: 15 }, (_, index) => signIn(person.email, 'wrong password', `203.0.113.${index}`)),
    );
    expect(burst.filter(({ statusCode }) => statusCode === 401)).toHaveLength(10);
    const refused = burst.filter(({ statusCode }) => statusCode === 429);
    expect(refused).toHaveLength(5);
    expect(Number(refused[0]?.headers['retry-after'])).toBeGreaterThan(800);
    expect((await signIn(person.email, PASSWORD, '203.0.113.99')).statusCode).toBe(429);
    const other = await createTenant(database, 'Other');
    expect((await signIn(other.email, 'wrong', '203.0.113.1')).statusCode).toBe(401);
    now = new Date(now.getTime() + 15 * 60_000);
    expect((await signIn(person.email, PASSWORD)).statusCode).toBe(200);
  });

  it('is slowed down per address', async () => {
    await database.execute("insert into rate_limits values ('sign-in address 192.0.2.1', 50, $1)", [
      new Date(now.getTime() + 60_000),
    ]);
    expect((await signIn(person.email, PASSWORD, '192.0.2.1')).statusCode).toBe(429);
    expect((await signIn(person.email, PASSWORD, '192.0.2.2')).statusCode).toBe(200);
  });

  it('forgives what was mistyped once the password is right', async () => {
    for (let attempt = 0; attempt < 9; attempt++) await signIn(person.email, 'mistyped');
    expect((await signIn(person.email, PASSWORD)).statusCode).toBe(200);
    expect((await signIn(person.email, 'mistyped')).statusCode).toBe(401);
  });
});

describe('a login', () => {
  it('stays while it is used, up to three months', async () => {
    const began = now;
    const secret = secretIn(cookieOf(await signIn(person.email, PASSWORD)));
    for (let day = 10; day < 90; day += 10) {
      now = new Date(began.getTime() + day * DAY_MS);
      const answer = await me(secret);
      expect([day, answer.statusCode]).toEqual([day, 200]);
      expect(secretIn(cookieOf(answer))).toBe(secret);
    }
    now = new Date(began.getTime() + 90 * DAY_MS);
    expect((await me(secret)).statusCode).toBe(401);
  });

  it('ends two weeks after its last use', async () => {
    const secret = secretIn(cookieOf(await signIn(person.email, PASSWORD)));
    now = new Date(now.getTime() + 14 * DAY_MS);
    expect((await me(secret)).statusCode).toBe(401);
  });

  it('is written at most once a minute', async () => {
    const secret = secretIn(cookieOf(await signIn(person.email, PASSWORD)));
    now = new Date(now.getTime() + 59_000);
    expect((await me(secret)).headers['set-cookie']).toBeUndefined();
    now = new Date(now.getTime() + 1_000);
    expect((await me(secret)).headers['set-cookie']).toBeDefined();
  });

  it('ends when its person signs out', async () => {
    const secret = secretIn(cookieOf(await signIn(person.email, PASSWORD)));
    const answer = await app.as({ ...person, cookie: secret }, { method: 'POST', url: '/api/logout' });
    expect(answer.statusCode).toBe(204);
    expect(cookieOf(answer)).toMatch(/^berth_login=; .*1970/);
    expect((await me(secret)).statusCode).toBe(401);
  });

  it('ends when the password is changed elsewhere, and only then', async () => {
    const [here, there] = [await signIn(person.email, PASSWORD), await signIn(person.email, PASSWORD)];
    const change = (current: string) =>
      app.as(
        { ...person, cookie: secretIn(cookieOf(here)) },
        { method: 'POST', url: '/api/me/password', payload: { current, next: 'an entirely new password' } },
      );
    const wrong = await change('wrong');
    expect([wrong.statusCode, wrong.json().fields]).toEqual([
      400,
      [{ path: 'current', message: 'is not your password' }],
    ]);
    expect((await change(PASSWORD)).statusCode).toBe(204);
    expect((await me(secretIn(cookieOf(here)))).statusCode).toBe(200);
    expect((await me(secretIn(cookieOf(there)))).statusCode).toBe(401);
    expect((await signIn(person.email, PASSWORD)).statusCode).toBe(401);
    expect((await signIn(person.email, 'an entirely new password')).statusCode).toBe(200);
  });
});

describe('an API token', () => {
  const create = async (body: object) =>
    (await app.as(person, { method: 'POST', url: '/api/tokens', payload: body })).json<{ id: string; token: string }>();
  const use = (token: string) => app.withToken(token, { url: '/api/me' });

  it('is shown once and kept as a hash', async () => {
    const { token } = await create({ name: 'laptop' });
    expect(token).toMatch(/^berth_[A-Za-z0-9_-]{43}$/);
    expect((await use(token)).json<Me>().authentication).toBe('token');
    const listed = await app.as(person, { url: '/api/tokens' });
    expect(listed.json().items).toContainEqual(
      expect.objectContaining({ name: 'laptop', lastUsedAt: now.toISOString() }),
    );
    expect(listed.body + JSON.stringify(await database.query('select * from api_tokens, audit_records'))).not.toContain(
      token,
    );
  });

  it('needs no header against foreign pages, since no page has it', async () => {
    const { token } = await create({ name: 'laptop' });
    const answer = await app.withToken(token, {
      method: 'POST',
      url: '/api/organizations',
      payload: { name: 'By token' },
    });
    expect(answer.statusCode).toBe(201);
  });

  it('ends when it expires and when it is revoked', async () => {
    const expiring = await create({ name: 'a week', expiresInDays: 7 });
    const revoked = await create({ name: 'revoked' });
    await app.as(person, { method: 'DELETE', url: `/api/tokens/${revoked.id}` });
    expect((await use(revoked.token)).statusCode).toBe(401);
    expect((await use(expiring.token)).statusCode).toBe(200);
    now = new Date(now.getTime() + 7 * DAY_MS);
    expect((await use(expiring.token)).statusCode).toBe(401);
  });

  it('of somebody else is neither listed nor revoked, and answers like one that never was', async () => {
    const { id, token } = await create({ name: 'mine' });
    const stranger = await createTenant(database, 'Stranger');
    const revoke = (which: string) => app.as(stranger, { method: 'DELETE', url: `/api/tokens/${which}` });
    expect((await app.as(stranger, { url: '/api/tokens' })).body).not.toContain(id);
    const [theirs, never] = [await revoke(id), await revoke('a0a0a0a0a0a0a0a0')];
    expect([theirs.statusCode, theirs.body]).toEqual([404, never.body]);
    expect((await use(token)).statusCode).toBe(200);
  });

  it.each(['Basic dXNlcjpwYXNz', 'Bearer', 'Bearer berth_short', 'Bearer x y', ''])(
    'written as "%s" is refused, and a cookie beside it does not help',
    async (authorization) => {
      const answer = await app.as(person, { url: '/api/me', headers: { authorization } });
      expect([answer.statusCode, answer.headers['www-authenticate']]).toEqual([401, 'Bearer realm="berth"']);
    },
  );
});

describe('signing in for development', () => {
  it('is not there unless it was turned on', async () => {
    const answer = await app.as(undefined, { method: 'POST', url: '/api/login/dev' });
    expect([answer.statusCode, answer.json().code]).toEqual([404, 'not_found']);
    expect((await app.as(undefined, { url: '/api/config' })).json().signIn).toEqual({ dev: false, password: true });
  });

  it('makes one person with one organization and team, however many come at once', async () => {
    const development = await createTestApp({ database, settings: { devSignIn: true } });
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => development.as(undefined, { method: 'POST', url: '/api/login/dev' })),
    );
    const people = answers.map((answer) => answer.json<Me>());
    expect(new Set(people.map(({ user }) => user.id)).size).toBe(1);
    expect(people[0]).toMatchObject({
      user: { email: 'dev@localhost', platformAdmin: true },
      organizations: [{ personal: true, role: 'org_owner' }],
      teams: [{ role: 'team_admin' }],
    });
    expect((await database.query("select 1 from users where email = 'dev@localhost'")).length).toBe(1);
    await development.close();
  });
});
