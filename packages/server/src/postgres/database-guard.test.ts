import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, describe, expect, it } from 'vitest';
import { identityOf, isRunning } from '../processes/process-identity.ts';
import { type DatabaseGuard, guardDatabase } from './database-guard.ts';
import { type DatabasePlace, databasePlace, databaseUrl } from './place.ts';

const guards: DatabaseGuard[] = [];
const folders: string[] = [];
const parents: ChildProcess[] = [];
afterEach(async () => {
  for (const parent of parents.splice(0)) parent.kill('SIGKILL');
  for (const guard of guards.splice(0)) await guard.stopNow();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** Root's database user must be able to reach it, which a folder of mkdtemp forbids. */
function newFolder(name = 'data'): string {
  const folder = mkdtempSync(join(tmpdir(), 'berth-postgres-'));
  folders.push(folder);
  chmodSync(folder, 0o755);
  const directory = join(folder, name);
  mkdirSync(directory, { recursive: true });
  return directory;
}

async function start(directory: string): Promise<{ guard: DatabaseGuard; place: DatabasePlace; said: string[] }> {
  const said: string[] = [];
  const place = databasePlace(directory);
  const guard = await guardDatabase({
    place,
    databases: ['berth', 'cluster'],
    logFile: join(directory, 'logs', 'postgres.log'),
    say: (sentence) => said.push(sentence),
  });
  guards.push(guard);
  return { guard, place, said };
}

async function query(place: DatabasePlace, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: databaseUrl(place, 'berth') });
  // The server may be killed under it; the query at hand then fails by itself.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 15_000;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error('it did not come to that in time');
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

describe('the embedded database', () => {
  it('keeps rows over a stop and a start, in a folder with spaces and accents', async () => {
    const directory = newFolder('Größe, "quoted" & more');
    const first = await start(directory);
    await query(first.place, 'create table kept as select 7 as n');
    await first.guard.stop({ connectedMayTakeMs: 0 });
    guards.length = 0;
    expect(isRunning(first.guard.postmaster())).toBe(false);

    const second = await start(directory);
    expect(await query(second.place, 'select n from kept')).toEqual([{ n: 7 }]);
    expect(await query(second.place, 'show fsync')).toEqual([{ fsync: 'on' }]);
  });

  it('loses no acknowledged row when the postmaster is killed, and comes back', async () => {
    const { guard, place, said } = await start(newFolder());
    await query(place, 'create table log (n int)');
    const acknowledged: number[] = [];
    let killed = false;
    const writer = (async () => {
      for (let n = 0; !killed; n++) {
        await query(place, `insert into log values (${n})`).then(
          () => acknowledged.push(n),
          () => undefined,
        );
      }
    })();
    await until(() => acknowledged.length > 20);
    const before = guard.postmaster();
    process.kill(before.pid, 'SIGKILL');
    await until(() => guard.postmaster().pid !== before.pid);
    killed = true;
    await writer;

    const rows = (await query(place, 'select n from log')).map(({ n }) => n);
    expect(rows).toEqual(expect.arrayContaining(acknowledged));
    expect(said).toContain('PostgreSQL ended unexpectedly and is started again');
  });

  it('adopts the postmaster of a guard that was killed', async () => {
    const directory = newFolder();
    const { child, pid } = await startGuardProcess(directory);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(identityOf(pid)).toBeDefined();

    const { guard, said } = await start(directory);
    expect(guard.postmaster().pid).toBe(pid);
    expect(said[0]).toContain('is kept');
    await guard.stop({ connectedMayTakeMs: 0 });
    guards.length = 0;
    expect(identityOf(pid)).toBeUndefined();
  });

  it('is not misled by a pid file that names a process of somebody else', async () => {
    const directory = newFolder();
    const { guard, place } = await start(directory);
    await guard.stop({ connectedMayTakeMs: 0 });
    guards.length = 0;
    const file = join(place.dataDirectory, 'postmaster.pid');
    writeFileSync(file, `${process.pid}\n${place.dataDirectory}\n1\n5432\n${place.socketDirectory}\n\n`);

    const again = await start(directory);
    expect(again.guard.postmaster().pid).not.toBe(process.pid);
    expect(readFileSync(file, 'utf8').split('\n')[0]).toBe(String(again.guard.postmaster().pid));
  });

  it('starts although its killed postmaster is a zombie that nobody reaps', async () => {
    const directory = newFolder();
    const { guard, place } = await start(directory);
    await query(place, 'create table kept as select 7 as n');
    const zombie = await makeZombie(place);
    const file = join(place.dataDirectory, 'postmaster.pid');
    const socketFile = join(place.socketDirectory, '.s.PGSQL.5432.lock');
    const left = [file, socketFile].map((path) => [path, readFileSync(path, 'utf8')] as const);
    await guard.stopNow();
    guards.length = 0;
    for (const [path, text] of left) {
      writeFileSync(path, text.replace(/^\d+/, String(zombie)), { mode: 0o600 });
      if (place.user) chownSync(path, place.user.uid, place.user.gid);
    }
    const again = await start(directory);
    expect(await query(again.place, 'select n from kept')).toEqual([{ n: 7 }]);
  });

  it('starts after a lock file was cut off', async () => {
    const directory = newFolder();
    const { guard, place } = await start(directory);
    await guard.stop({ connectedMayTakeMs: 0 });
    guards.length = 0;
    writeFileSync(join(place.dataDirectory, 'postmaster.pid'), '');
    expect((await start(directory)).guard.postmaster().pid).toBeGreaterThan(0);
  });

  it('waits for the workers of a postmaster that was killed', async () => {
    const directory = newFolder();
    const { child, pid } = await startGuardProcess(directory);
    const place = databasePlace(directory);
    const client = new pg.Client({ connectionString: databaseUrl(place, 'berth') });
    client.on('error', () => undefined);
    await client.connect();
    const [worker] = (await client.query('select pg_backend_pid() as pid')).rows as { pid: number }[];
    process.kill(worker?.pid ?? 0, 'SIGSTOP');
    for (const each of [child.pid ?? 0, pid]) process.kill(each, 'SIGKILL');
    await until(() => identityOf(pid) === undefined);
    const started = start(directory);
    await until(() => readFileSync(join(directory, 'logs', 'postgres.log'), 'utf8').includes('still in use'));
    process.kill(worker?.pid ?? 0, 'SIGKILL');
    expect((await started).guard.postmaster().pid).not.toBe(pid);
  });

  it('lets whoever is connected finish before it stops', async () => {
    const { guard, place } = await start(newFolder());
    const client = new pg.Client({ connectionString: databaseUrl(place, 'berth') });
    client.on('error', () => undefined);
    await client.connect();
    const stopped = guard.stop({ connectedMayTakeMs: 10_000 });
    await client.query('create table late as select 1 as n');
    await client.end();
    await stopped;
    guards.length = 0;
    expect(isRunning(guard.postmaster())).toBe(false);
  });
});

/** Its parent does not wait for it and is ended with the test. */
async function makeZombie({ user }: DatabasePlace): Promise<number> {
  const parent = spawn('sh', ['-c', 'sleep 0.5 & echo $!; exec sleep 60'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    ...(user && { uid: user.uid, gid: user.gid }),
  });
  parents.push(parent);
  const [line] = (await once(parent.stdout, 'data')) as [Buffer];
  const pid = Number(line.toString('utf8'));
  await until(() => identityOf(pid) === undefined);
  process.kill(pid, 0);
  return pid;
}

async function startGuardProcess(directory: string): Promise<{ child: ChildProcess; pid: number }> {
  const program = new URL('./testing/guard-process.ts', import.meta.url).pathname;
  const child = spawn(process.execPath, ['--import', 'tsx', program, directory], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return { child, pid: Number(line.toString('utf8')) };
}
