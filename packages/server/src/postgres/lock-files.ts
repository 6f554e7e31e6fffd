import { chownSync, existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { identityOf } from '../processes/process-identity.ts';
import type { DatabasePlace } from './place.ts';

/**
 * PostgreSQL takes the number in a lock file for a living owner whenever the kernel knows it at all: that of a killed postmaster
 * whose zombie nobody reaps (in a container often for good), or one that another program got after the machine went down. It would
 * then never start again. Called when it is certain that no postmaster of ours runs.
 */
export function clearDeadLocks({ dataDirectory, socketDirectory }: DatabasePlace): void {
  // Guards nothing: the folder is ours alone, and the data have a lock of their own.
  rmSync(join(socketDirectory, '.s.PGSQL.5432.lock'), { force: true });
  const file = join(dataDirectory, 'postmaster.pid');
  if (!existsSync(file)) return;
  const [owner = '', ...rest] = readFileSync(file, 'utf8').split('\n');
  // Cut off, or empty, by a crash of the machine.
  if (rest.length === 0) rmSync(file, { force: true });
  else if (isZombie(Number(owner))) {
    // The rest stays, for PostgreSQL checks by it that no worker of the dead postmaster still writes. A parent's number it
    // does not mind.
    replace(file, [String(process.pid), ...rest].join('\n'));
  }
}

/** Dead, and yet there: a signal would still be taken. */
function isZombie(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0 || identityOf(pid)) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function replace(file: string, text: string): void {
  const { uid, gid } = statSync(file);
  const unfinished = `${file}.new`;
  writeFileSync(unfinished, text, { mode: 0o600 });
  chownSync(unfinished, uid, gid);
  renameSync(unfinished, file);
}
