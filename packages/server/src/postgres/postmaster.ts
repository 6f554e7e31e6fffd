import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  identityOf,
  isRunning,
  type ProcessIdentity,
  signalProcess,
  waitForEnd,
} from '../processes/process-identity.ts';
import { clearDeadLocks } from './lock-files.ts';
import type { DatabasePlace } from './place.ts';

/**
 * What is written out although most of it is the default: losing an acknowledged row is the one thing that must not happen, and
 * this is where it is promised. The rest keeps an idle database small.
 */
const SETTINGS: Readonly<Record<string, string>> = {
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  restart_after_crash: 'on',
  listen_addresses: '',
  unix_socket_permissions: '0700',
  max_connections: '100',
  shared_buffers: '32MB',
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_checkpoints: 'off',
  log_line_prefix: '%m [%p] %a ',
};

const FAST_STOP_MS = 20_000;
const IMMEDIATE_STOP_MS = 10_000;

/**
 * Starts a postmaster that outlives its starter and a Ctrl-C in the terminal: only its guard decides when it stops, after
 * everybody who still needs it.
 */
export function startPostmaster(place: DatabasePlace, logDescriptor: number): ProcessIdentity {
  clearDeadLocks(place);
  const settings = { ...SETTINGS, unix_socket_directories: `"${place.socketDirectory.replaceAll('"', '""')}"` };
  const parameters = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const child = spawn(join(place.binaries, 'postgres'), ['-D', place.dataDirectory, ...parameters], {
    cwd: '/',
    detached: true,
    env: { LC_ALL: 'C', TZ: 'UTC', PATH: '/usr/bin:/bin' },
    stdio: ['ignore', logDescriptor, logDescriptor],
    ...(place.user && { uid: place.user.uid, gid: place.user.gid }),
  });
  // Also keeps Node from throwing on a failed spawn; the missing pid says it below.
  child.once('error', (error) => console.error(`cannot start PostgreSQL: ${error.message}`));
  child.unref();
  const identity = child.pid === undefined ? undefined : identityOf(child.pid);
  if (!identity) throw new Error(`PostgreSQL in ${place.binaries} does not start`);
  return identity;
}

/**
 * The postmaster that owns the data directory, left by a guard that was killed, with the socket folder it listens in.
 * After a crash of the machine `postmaster.pid` may name a process that has nothing to do with it, which PostgreSQL would take for a
 * living owner: then the file goes. In every other case it stays, for PostgreSQL itself checks by it that no worker
 * of a dead postmaster still writes.
 */
export function findPostmaster(dataDirectory: string): (ProcessIdentity & { socketDirectory: string }) | undefined {
  const file = join(dataDirectory, 'postmaster.pid');
  if (!existsSync(file)) return undefined;
  const [pid, , , , socketDirectory] = readFileSync(file, 'utf8').split('\n');
  const identity = identityOf(Number(pid));
  if (!identity) return undefined;
  if (!isPostmasterOf(identity.pid, dataDirectory)) {
    rmSync(file, { force: true });
    return undefined;
  }
  return { ...identity, socketDirectory: socketDirectory ?? '' };
}

/** Fast first: sessions end, everything is written. `immediate` recovers from the log on the next start; nothing is lost. */
export async function stopPostmaster(postmaster: ProcessIdentity, how: 'fast' | 'immediate' = 'fast'): Promise<void> {
  if (how === 'fast') {
    if (!signalProcess(postmaster, 'SIGINT') || (await waitForEnd(postmaster, FAST_STOP_MS))) return;
  }
  if (!signalProcess(postmaster, 'SIGQUIT') || (await waitForEnd(postmaster, IMMEDIATE_STOP_MS))) return;
  if (isRunning(postmaster)) throw new Error(`PostgreSQL (process ${postmaster.pid}) does not stop; end it by hand`);
}

/** By its command line, which everybody may read, unlike the links in /proc. */
function isPostmasterOf(pid: number, dataDirectory: string): boolean {
  // Elsewhere than on Linux there is no exact way to know; PostgreSQL's own check decides then.
  if (process.platform !== 'linux') return true;
  try {
    const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    return words.includes(dataDirectory) && /(^|\/)postgres$/.test(words[0] ?? '');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ESRCH') return false;
    throw error;
  }
}
