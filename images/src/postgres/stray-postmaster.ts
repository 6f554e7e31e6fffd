import { existsSync, readFileSync, readlinkSync } from 'node:fs';
import { readFile, realpath, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';

const STOP_PATIENCE_MILLISECONDS = 20_000;
const POLL_MILLISECONDS = 100;

/**
 * `postmaster.pid` names the process that owns the directory. After `kill -9` of its parent a postmaster may still run:
 * it is shut down, since two would ruin the data. After a crash of the machine or container the number may by chance be some other
 * process's, which PostgreSQL takes for a living owner and refuses to start: then the file is removed.
 */
export async function stopStrayPostmaster(directory: string): Promise<void> {
  const file = join(directory, 'postmaster.pid');
  if (!existsSync(file)) return;
  const pid = Number((await readFile(file, 'utf8')).split('\n')[0]);
  if (!Number.isInteger(pid) || pid <= 0) return;
  if (!(await isPostmasterOf(pid, directory))) {
    await rm(file, { force: true });
    return;
  }
  console.log(`stopping the postmaster ${pid} that an earlier start left behind`);
  await stop(pid);
}

async function stop(pid: number): Promise<void> {
  const deadline = performance.now() + STOP_PATIENCE_MILLISECONDS;
  for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
    if (!trySignal(pid, signal)) return;
    while (performance.now() < deadline) {
      if (!isRunning(pid)) return;
      await new Promise((resolve) => setTimeout(resolve, POLL_MILLISECONDS));
    }
  }
  if (isRunning(pid)) throw new Error(`the earlier postmaster ${pid} does not stop; end it by hand`);
}

async function isPostmasterOf(pid: number, directory: string): Promise<boolean> {
  if (!isRunning(pid)) return false;
  // Elsewhere than on Linux there is no cheap way to know; PostgreSQL's own check decides then.
  if (process.platform !== 'linux') return true;
  try {
    return (
      basename(readlinkSync(`/proc/${pid}/exe`)).startsWith('postgres') &&
      readlinkSync(`/proc/${pid}/cwd`) === (await realpath(directory))
    );
  } catch {
    return false;
  }
}

/** A zombie has ended, whatever its parent makes of it. */
function isRunning(pid: number): boolean {
  if (!trySignal(pid, 0)) return false;
  if (process.platform !== 'linux') return true;
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

function trySignal(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch (error) {
    // EPERM: it runs, as somebody else.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
