import { accessSync, constants, existsSync, readdirSync, readFileSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import type { HealthCheck } from '@berth/core/health';
import { bytes } from '../output.ts';
import { failure, ok, warning } from './check.ts';

const LITTLE_SPACE = 1024 ** 3;
const NO_SPACE = 100 * 1024 ** 2;
const LINES_TOLD = 3;

/** What can be seen of a Berth from the outside, in the data directory of `berth up`: also when nothing answers. */
export function checkDataDirectory(root: string, isRunning: (pid: number) => boolean): HealthCheck[] {
  if (!existsSync(root)) {
    return [ok('data directory', `${root} is not there: no Berth was started from this folder`)];
  }
  return [access(root), space(root), ...processes(root, isRunning)];
}

function access(root: string): HealthCheck {
  try {
    accessSync(root, constants.R_OK | constants.W_OK);
    return ok('data directory', root);
  } catch {
    return failure(
      'data directory',
      `${root} cannot be read and written by you`,
      `run this as the user who runs Berth, or give them the folder: chown -R USER ${root}`,
    );
  }
}

function space(root: string): HealthCheck {
  const { bavail, bsize } = statfsSync(root);
  const free = bavail * bsize;
  const message = `${bytes(free)} free where ${root} is`;
  if (free < NO_SPACE) return failure('disk', message, 'make room: the database stops when the disk is full');
  return free < LITTLE_SPACE ? warning('disk', message, 'make room soon: volumes and logs grow') : ok('disk', message);
}

function processes(root: string, isRunning: (pid: number) => boolean): HealthCheck[] {
  const supervisor = pidIn(join(root, 'lock.json'));
  if (supervisor === undefined || !isRunning(supervisor)) {
    const left = known(root).filter(({ pid }) => isRunning(pid));
    if (left.length === 0) return [warning('Berth', 'does not run', 'start it: npm start, or berth up')];
    const names = left.map(({ name, pid }) => `${name} (${pid})`).join(', ');
    return [
      warning(
        'Berth',
        `its supervisor was killed; still there: ${names}`,
        'start it again: it takes over what was left',
      ),
    ];
  }
  const dead = known(root).filter(({ pid }) => !isRunning(pid));
  if (dead.length === 0) return [ok('Berth', `runs as process ${supervisor} with ${known(root).length} others`)];
  return dead.map(({ name }) =>
    failure(
      name,
      `does not run${lastLines(join(root, 'logs', `${name}.log`))}`,
      `it is started again by itself; when it stays so, read ${join(root, 'logs', `${name}.log`)}`,
    ),
  );
}

function known(root: string): { name: string; pid: number }[] {
  const folder = join(root, 'run');
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap((file) => {
    const pid = pidIn(join(folder, file));
    return pid === undefined ? [] : [{ name: file.replace(/\.json$/, ''), pid }];
  });
}

function pidIn(file: string): number | undefined {
  try {
    return (JSON.parse(readFileSync(file, 'utf8')) as { pid?: number }).pid;
  } catch {
    // Not there, or being written: both say that nobody is known.
    return undefined;
  }
}

function lastLines(file: string): string {
  if (!existsSync(file)) return '';
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n').slice(-LINES_TOLD);
  return `; its last lines: ${lines.join(' | ').slice(0, 400)}`;
}
