import { spawnSync } from 'node:child_process';

/** An unprivileged user of this machine. */
export interface SystemUser {
  name: string;
  uid: number;
  gid: number;
}

/**
 * PostgreSQL refuses to run as root. Finds the user that stands in, or makes it: a system account without home or
 * shell. Where accounts cannot be made, `nobody` has to do.
 */
export function unprivilegedUser(name: string): SystemUser {
  const found = findUser(name);
  if (found) return found;
  for (const [program, ...parameters] of ACCOUNT_MAKERS) {
    spawnSync(program, [...parameters, name], { stdio: 'ignore' });
    const made = findUser(name);
    if (made) return made;
  }
  const nobody = findUser('nobody');
  if (nobody) return nobody;
  throw new Error(`there is no user "${name}" and none can be made: make one with "useradd --system ${name}"`);
}

const ACCOUNT_MAKERS = [
  [
    'useradd',
    '--system',
    '--user-group',
    '--no-create-home',
    '--home-dir',
    '/nonexistent',
    '--shell',
    '/usr/sbin/nologin',
  ],
  // BusyBox.
  ['adduser', '-S', '-D', '-H', '-s', '/sbin/nologin'],
] as const;

/** By `id`, which knows accounts from every source. */
export function findUser(name: string): SystemUser | undefined {
  const [uid, gid] = ['-u', '-g'].map((option) => spawnSync('id', [option, '--', name], { encoding: 'utf8' }));
  if (uid?.status !== 0 || gid?.status !== 0) return undefined;
  const user = { name, uid: Number(uid.stdout), gid: Number(gid.stdout) };
  return Number.isInteger(user.uid) && Number.isInteger(user.gid) && user.uid > 0 ? user : undefined;
}
