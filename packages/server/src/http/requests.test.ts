import { Writable } from 'node:stream';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createLogger } from '../logger.ts';
import { createTestApp, TEST_HOST, type TestApp, type TestAppOptions } from '../testing/app.ts';
import { createTestDatabase, type TestDatabase } from '../testing/postgres.ts';
import { createTenant, type TestTenant } from '../testing/tenants.ts';

const PROXY = '10.20.0.5';
const STRANGER = '198.51.100.7';

describe('a request', () => {
  let database: TestDatabase;
  let person: TestTenant;
  let app: TestApp;
  let lines: string[];

  const start = async (options: Partial<TestAppOptions> = {}, level: 'debug' | 'info' = 'debug') => {
    lines = [];
    const write = (chunk: unknown, _encoding: string, done: () => void) => {
      lines.push(String(chunk));
      done();
    };
    const log = createLogger({ name: 'test', level, destination: new Writable({ write }) });
    app = await createTestApp({
      database,
      log,
      ...options,
      settings: { trustedProxies: ['10.20.0.0/16', 'fd00::/8'], ...options.settings },
    });
  };
  const answered = () =>
    lines.map((line) => JSON.parse(line) as Record<string, unknown>).filter(({ msg }) => msg === 'request answered');

  beforeAll(async () => {
    database = await createTestDatabase();
    person = await createTenant(database, 'Person');
  });
  afterEach(() => app.close());
  afterAll(() => database.close());

  describe('through a proxy', () => {
    const signIn = (remoteAddress: string, forwardedFor?: string) =>
      app.as(undefined, {
        method: 'POST',
        url: '/api/login',
        remoteAddress,
        payload: { email: 'somebody@example.com', password: 'not the password' },
        headers: forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor },
      });
    const recorded = async () =>
      (
        await database.query<{ address: string }>(
          "select address from audit_records where route = '/api/login' and sequence > $1 order by sequence",
          [before],
        )
      ).map(({ address }) => address);
    let before = 0;
    beforeEach(async () => {
      const [row] = await database.query<{ last: number }>(
        'select coalesce(max(sequence), 0) as last from audit_records',
      );
      before = row?.last ?? 0;
      await database.execute('delete from rate_limits');
    });

    it('is recorded with the true client, of whatever family', async () => {
      await start();
      await signIn(PROXY, '203.0.113.9');
      await signIn(PROXY, '1.1.1.1, 203.0.113.9, 10.20.0.9');
      await signIn('fd00::5', '2001:db8::17');
      await signIn('::ffff:10.20.0.5', '::ffff:203.0.113.9');
      expect(await recorded()).toEqual(['203.0.113.9', '203.0.113.9', '2001:db8::17', '203.0.113.9']);
    });

    it('that nobody trusts is recorded with the proxy: what it says may be made up', async () => {
      await start();
      await signIn(STRANGER, '203.0.113.9');
      await signIn(PROXY, 'nonsense');
      expect(await recorded()).toEqual([STRANGER, PROXY]);
    });

    it('counts for the limit of its client and of nobody else', async () => {
      await start();
      await signIn(PROXY, '203.0.113.9');
      await signIn(STRANGER, '203.0.113.9');
      // The addresses of one network are one client's.
      await signIn(PROXY, '2001:db8::17');
      await signIn(PROXY, '2001:0db8:0:0:ffff::1');
      const rows = await database.query<{ key: string; count: number }>(
        "select key, count from rate_limits where key like 'sign-in address%' order by key",
      );
      expect(rows).toEqual([
        { key: `sign-in address ${STRANGER}`, count: 1 },
        { key: 'sign-in address 2001:db8:0:0::/64', count: 2 },
        { key: 'sign-in address 203.0.113.9', count: 1 },
      ]);
    });

    it('reaches no other host by what the proxy says', async () => {
      await start();
      const answer = await app.as(person, {
        url: '/api/me',
        remoteAddress: PROXY,
        headers: { host: 'evil.example.com', 'x-forwarded-host': TEST_HOST },
      });
      expect(answer.json()).toMatchObject({ code: 'foreign_host' });
    });

    it('keeps the id that a trusted one gave it, if it is one', async () => {
      await start();
      const idOf = async (remoteAddress: string, id: string) =>
        (await app.as(person, { url: '/api/me', remoteAddress, headers: { 'x-request-id': id } })).headers[
          'x-request-id'
        ];
      expect(await idOf(PROXY, '0af7651916cd43dd8448eb211c80319c')).toBe('0af7651916cd43dd8448eb211c80319c');
      expect(await idOf(STRANGER, '0af7651916cd43dd8448eb211c80319c')).toMatch(/^[a-z][a-z0-9]{15}$/);
      expect(await idOf(PROXY, '<script>alert(1)</script>')).toMatch(/^[a-z][a-z0-9]{15}$/);
      expect(answered()[0]).toMatchObject({ requestId: '0af7651916cd43dd8448eb211c80319c', address: PROXY });
    });
  });

  describe('in the log', () => {
    it('is told when it failed or was slow, without its query', async () => {
      await start({ database: { ...database, query: () => Promise.reject(new Error('broke')) } }, 'info');
      await app.as(undefined, { url: '/livez' });
      await app.as(person, { url: '/api/me?token=s3cret' });
      expect(answered()).toMatchObject([{ level: 30, method: 'GET', path: '/api/me', status: 500, route: 'getMe' }]);
      expect(lines.join('')).not.toContain('s3cret');
    });

    it('is told always, or never, where that is wanted', async () => {
      await start({ settings: { logRequests: 'all' } }, 'info');
      await app.as(person, { url: '/api/me' });
      expect(answered()).toHaveLength(1);
      await app.close();
      await start({ settings: { logRequests: 'none' } }, 'info');
      await app.as(person, { url: '/api/me' });
      expect(answered()).toEqual([]);
    });
  });

  describe('in the life of a server', () => {
    it('is put off before the server is ready, and says why', async () => {
      await start({ startup: { problem: () => 'the database waits for 0001-first.sql' } });
      const answer = await app.as(person, { url: '/api/me' });
      expect([answer.statusCode, answer.headers['retry-after']]).toEqual([503, '5']);
      expect(answer.json()).toMatchObject({ code: 'unavailable' });
      expect(answer.body).toContain('0001-first.sql');
      const ready = await app.as(undefined, { url: '/readyz', headers: { host: '10.0.0.1:8080' } });
      expect(ready.body).toContain('[-]startup failed: the database waits for 0001-first.sql');
      expect((await app.as(undefined, { url: '/livez' })).statusCode).toBe(200);
    });

    it('is answered while the server drains, on a connection that is not kept', async () => {
      await start({ draining: { active: () => true } });
      const answer = await app.as(person, { url: '/api/me' });
      expect([answer.statusCode, answer.headers.connection]).toEqual([200, 'close']);
      expect((await app.as(undefined, { url: '/readyz' })).body).toContain('[-]draining failed: it is about to stop');
    });

    it('tells of a cluster that is away, and of everything, only when asked', async () => {
      await start();
      expect((await app.as(undefined, { url: '/readyz' })).body).toBe('ok\n');
      const told = (await app.as(undefined, { url: '/readyz?verbose' })).body;
      expect(told).toContain('[+]database ok\n[+]schema ok\n[!]cluster degraded: ');
    });

    it('for a page is refused where another process serves them', async () => {
      await start({ settings: { webDirectory: undefined } });
      const answer = await app.as(undefined, { url: '/deployments', headers: { accept: 'text/html' } });
      expect(answer.statusCode).toBe(404);
    });
  });
});
