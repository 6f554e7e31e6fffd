import { chmodSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { WorkloadUser } from './process/container-process.ts';

/** Lets the workload user walk to its folders, and no further. Throws when a folder above stands in the way. */
export function openForWalking(directories: string[], user: WorkloadUser): void {
  for (const directory of directories) chmodSync(directory, (statSync(directory).mode & 0o777) | 0o011);
  const [first] = directories;
  if (first) assertReachable(first, user);
}

export function assertReachable(directory: string, user: WorkloadUser): void {
  for (let path = dirname(resolve(directory)); ; path = dirname(path)) {
    const { mode, uid, gid } = statSync(path);
    const bit = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001;
    if ((mode & bit) === 0) {
      throw new Error(
        `pods run as user ${user.uid}, who cannot pass ${path} on the way to ${directory}: choose a data directory outside it, or run chmod o+x ${path}`,
      );
    }
    if (path === dirname(path)) return;
  }
}
