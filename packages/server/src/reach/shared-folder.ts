import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, realpathSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { canEnter } from './reach.ts';
import type { SystemUser } from './system-user.ts';

/**
 * Started by root, parts of Berth run as users who cannot enter a folder such as root's home. What those parts need lies in
 * /var/lib/berth then. Each data directory has a folder of its own there, named by a hash of its path and bound to it by a file: a
 * data directory that was copied must not share data with its original.
 */
export const SHARED_DIRECTORY = '/var/lib/berth';
const OWNER_FILE = 'belongs-to';

export function hashOfPath(path: string): string {
  return createHash('sha256').update(path).digest('hex').slice(0, 16);
}

/** The shared folder of a data directory (its real path), claimed for it. */
export function claimSharedFolder(root: string, shared: string = SHARED_DIRECTORY): string {
  const folder = join(shared, hashOfPath(root));
  bindFolder(folder, root);
  return folder;
}

/** Throws when the folder belongs to another data directory that still exists: one that is gone was moved to here. */
export function bindFolder(folder: string, root: string): void {
  const ownerFile = join(folder, OWNER_FILE);
  if (existsSync(ownerFile)) {
    const owner = readFileSync(ownerFile, 'utf8').trim();
    if (owner === root) return;
    if (existsSync(owner)) {
      throw new Error(`${folder} belongs to ${owner}, of which ${root} seems to be a copy: remove one of the two`);
    }
  }
  mkdirSync(folder, { recursive: true, mode: 0o711 });
  const unfinished = `${ownerFile}.new`;
  writeFileSync(unfinished, `${root}\n`, { mode: 0o600 });
  renameSync(unfinished, ownerFile);
}

/**
 * A folder of the data directory that a user can reach: inside it if possible, else shared, with a link in its place so that the next
 * start finds the same one. Returns the real path.
 */
export function reachableFolder(
  directory: string,
  name: string,
  options: { user: SystemUser | undefined; shared?: string },
): string {
  const root = realpathSync(directory);
  const own = join(root, name);
  if (!existsSync(own)) {
    if (!options.user || canEnter(options.user, root)) mkdirSync(own, { mode: options.user ? 0o711 : 0o700 });
    else {
      const target = join(claimSharedFolder(root, options.shared), name);
      mkdirSync(target, { recursive: true, mode: 0o711 });
      symlinkSync(target, own);
    }
  }
  const real = realpathSync(own);
  if (real !== own) bindFolder(join(real, '..'), root);
  return real;
}
