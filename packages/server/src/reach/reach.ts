import { spawnSync } from 'node:child_process';
import type { SystemUser } from './system-user.ts';

/** Whether a user can pass into a folder. Asked of the system rather than worked out from modes: access lists count too. */
export function canEnter(user: SystemUser, path: string): boolean {
  return succeeds(user, ['/bin/sh', '-c', 'cd "$1"', 'sh', path]);
}

export function canRead(user: SystemUser, file: string): boolean {
  return succeeds(user, ['/bin/sh', '-c', 'test -r "$1"', 'sh', file]);
}

export function canRun(user: SystemUser, program: string): boolean {
  return succeeds(user, [program, '--version']);
}

function succeeds({ uid, gid }: SystemUser, [program = '', ...parameters]: string[]): boolean {
  return spawnSync(program, parameters, { uid, gid, stdio: 'ignore', cwd: '/' }).status === 0;
}
