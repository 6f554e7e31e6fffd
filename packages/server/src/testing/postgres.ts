import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { Database } from '../db/database.ts';
import { migrate, migrationsDirectory } from '../db/migrate.ts';
import { openDatabase } from '../db/pool.ts';
import { installedBinaries } from '../postgres/binaries.ts';
import { findUser } from '../reach/system-user.ts';

/**
 * Real PostgreSQL for tests. The first test that asks for a database in a process starts a server of its own, from a copy of a
 * data directory that was made once for these migrations and is kept in the temporary directory; it takes a tenth of a
 * second. Each database is a fresh copy of the migrated one. The server listens on a unix socket only and ends with the process,
 * however that ends: its guard reads a pipe from us and stops it and removes its files when the pipe closes.
 */
const TEMPLATE_DATABASE = 'berth_template';
const START_DEADLINE_MS = 20_000;
/** Nothing here outlives a crash, so nothing waits for the disk. */
const SETTINGS = [
  'fsync=off',
  'synchronous_commit=off',
  'full_page_writes=off',
  'max_connections=200',
  'shared_buffers=32MB',
];
const GUARD =
  'trap "" PIPE; exec 3<&0; "$@" 3<&- & server=$!; (read _ <&3; kill -QUIT $server) & wait $server; kill $! 2>/dev/null; rm -rf "$0"';

interface Server {
  socketDirectory: string;
  user: string;
  /** In the name of its socket too. */
  port?: number | undefined;
  stop(): void;
}

let server: Promise<Server> | undefined;
let databases = 0;

export interface TestDatabase extends Database {
  url: string;
}

/** A migrated, empty database. Close it when the test is done. */
export async function createTestDatabase(options: { migrated?: boolean } = {}): Promise<TestDatabase> {
  server ??= startFromTemplate();
  const running = await server;
  const name = `test_${process.pid}_${++databases}`;
  const template = options.migrated === false ? 'template0' : TEMPLATE_DATABASE;
  await onServer(running, (client) => client.query(`create database ${name} template ${template}`));
  return testDatabase(running, name);
}

export interface TcpServer {
  /** With user and database; the host is for the test to say. */
  url(host: string): string;
  stop(): void;
}

/** A server of its own on a loopback port, with TLS where a certificate (in PEM) is given. End it when the test is done. */
export async function startTcpServer(certificate?: { cert: string; key: string }): Promise<TcpServer> {
  const directory = await copyOfTemplate();
  const port = await freePort();
  const settings = [`port=${port}`, 'listen_addresses=127.0.0.1,127.0.0.2'];
  if (certificate) {
    for (const [name, text] of [
      ['server.crt', certificate.cert],
      ['server.key', certificate.key],
    ] as const) {
      const file = join(directory, 'data', name);
      writeFileSync(file, text, { mode: 0o600 });
      giveAway(file);
    }
    settings.push('ssl=on');
  }
  const running = await startServer(directory, { settings, port });
  return { url: (host) => `postgres://berth@${host}:${port}/${TEMPLATE_DATABASE}`, stop: running.stop };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });
}

async function testDatabase(running: Server, name: string): Promise<TestDatabase> {
  const url = urlOf(running, name);
  const database = openDatabase({ url, applicationName: name, connections: 12 });
  return {
    ...database,
    url,
    async close() {
      await database.close();
      await onServer(running, (client) => client.query(`drop database if exists ${name} with (force)`));
    },
  };
}

async function startFromTemplate(): Promise<Server> {
  return startServer(await copyOfTemplate());
}

async function copyOfTemplate(): Promise<string> {
  const template = await templateDirectory();
  const directory = makeDirectory();
  // Not cpSync: the copy has to belong to whom the server runs as.
  execFileSync('cp', ['-R', template, join(directory, 'data')], unprivileged());
  return directory;
}

/** Made by whoever comes first; a rename puts it in place whole, and of two that made it one wins. */
async function templateDirectory(): Promise<string> {
  const finished = join(tmpdir(), `berth-test-postgres-${userInfo().uid}-${templateKey()}`);
  if (existsSync(finished)) return finished;
  const directory = makeDirectory();
  const data = join(directory, 'data');
  mkdirSync(data, { mode: 0o700 });
  giveAway(data);
  execFileSync(
    join(installedBinaries(), 'initdb'),
    ['-D', data, '-U', 'berth', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync'],
    {
      ...unprivileged(),
      cwd: directory,
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  );
  const running = await startServer(directory, { kept: true });
  await onServer(running, (client) => client.query(`create database ${TEMPLATE_DATABASE} template template0`));
  const database = openDatabase({ url: urlOf(running, TEMPLATE_DATABASE), applicationName: 'migrate' });
  await migrate(database);
  await database.close();
  stopCleanly(running, data);
  try {
    renameSync(data, finished);
  } catch (error) {
    if (!existsSync(finished)) throw error;
  }
  rmSync(directory, { recursive: true, force: true });
  return finished;
}

function templateKey(): string {
  const hash = createHash('sha256').update(installedBinaries());
  for (const name of readdirSync(migrationsDirectory()).sort()) {
    hash.update(name).update(readFileSync(join(migrationsDirectory(), name)));
  }
  return hash.digest('hex').slice(0, 16);
}

interface ServerOptions {
  /** Its files are for somebody else. */
  kept?: boolean;
  settings?: readonly string[];
  port?: number;
}

async function startServer(directory: string, options: ServerOptions = {}): Promise<Server> {
  const { kept = false, port } = options;
  const own = ['listen_addresses=', `unix_socket_directories=${directory}`];
  const settings = [...SETTINGS, ...own, ...(options.settings ?? [])];
  const command = [
    join(installedBinaries(), 'postgres'),
    '-D',
    join(directory, 'data'),
    ...settings.flatMap((each) => ['-c', each]),
  ];
  let output = '';
  const guard = spawn('/bin/sh', ['-c', GUARD, kept ? '' : directory, ...command], {
    ...unprivileged(),
    cwd: directory,
    stdio: ['pipe', 'ignore', 'pipe'],
    // Its own group, so that Ctrl-C in a terminal reaches it through us only.
    detached: true,
  });
  guard.stderr?.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  unrefAll(guard);
  const stop = () => void guard.stdin?.destroy();
  const running: Server = { socketDirectory: directory, user: 'berth', port, stop };
  const deadline = Date.now() + START_DEADLINE_MS;
  for (;;) {
    try {
      await onServer(running, (client) => client.query('select 1'));
      return running;
    } catch (error) {
      if (guard.exitCode !== null || Date.now() > deadline) {
        running.stop();
        throw new Error(`PostgreSQL for tests did not start: ${output}`, { cause: error });
      }
      await pause(20);
    }
  }
}

/** A clean shutdown: what is copied needs no recovery. */
function stopCleanly(running: Server, data: string): void {
  execFileSync(join(installedBinaries(), 'pg_ctl'), ['stop', '-D', data, '-m', 'fast', '-w', '-s'], {
    ...unprivileged(),
    cwd: running.socketDirectory,
  });
  running.stop();
}

async function onServer<T>(running: Server, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: urlOf(running, 'postgres') });
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end();
  }
}

function urlOf(running: Server, database: string): string {
  return `postgres://${running.user}@/${database}?host=${encodeURIComponent(running.socketDirectory)}${running.port === undefined ? '' : `&port=${running.port}`}`;
}

/** A short path: a unix socket's has at most 107 bytes. */
function makeDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'berth-pg-'));
  chmodSync(directory, 0o755);
  giveAway(directory);
  return directory;
}

/** PostgreSQL refuses to run as root. */
function unprivileged(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const nobody = findUser('nobody');
  if (!nobody) throw new Error('tests that run as root need the user "nobody" for PostgreSQL');
  return { uid: nobody.uid, gid: nobody.gid };
}

function giveAway(path: string): void {
  const { uid, gid } = unprivileged();
  if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid);
}

/** A test that is done ends its process, server or not. */
function unrefAll(child: ChildProcess): void {
  child.unref();
  for (const stream of [child.stdin, child.stderr]) (stream as unknown as { unref?(): void } | null)?.unref?.();
}
