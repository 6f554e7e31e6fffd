import { chown, lstat, mkdir, readdir, readFile, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { WorkloadUser } from '../process/container-process.ts';

export interface VolumeFile {
  data: Buffer;
  mode: number;
}

/**
 * Writes the files of a ConfigMap or Secret volume so that a reader sees all of the old state or all of the new:
 *
 *     volume/..2026_01_01_1/key      the files, in a folder of their own
 *     volume/..data -> ..2026_...    replaced by one rename: the instant everything changes
 *     volume/key -> ..data/key       what the container opens
 *
 * Writes nothing when nothing differs.
 */
export async function writeAtomically(
  directory: string,
  files: Map<string, VolumeFile>,
  user: WorkloadUser | undefined,
): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o755 });
  const data = join(directory, '..data');
  const current = await readlink(data).catch(() => undefined);
  if (current !== undefined && (await isSame(join(directory, current), files))) return;
  const next = `..${Date.now()}_${process.hrtime.bigint()}`;
  for (const [path, file] of files) await writeOne(join(directory, next, path), file, user);
  await mkdir(join(directory, next), { recursive: true });
  await rm(`${data}_tmp`, { force: true });
  await symlink(next, `${data}_tmp`);
  await rename(`${data}_tmp`, data);
  await link(directory, new Set([...files.keys()].map((path) => path.split('/')[0] ?? '')));
  for (const name of await readdir(directory)) {
    const stale = name.startsWith('..') && name !== '..data' && name !== next;
    if (stale) await rm(join(directory, name), { recursive: true, force: true });
  }
}

async function writeOne(path: string, file: VolumeFile, user: WorkloadUser | undefined): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o755 });
  await writeFile(path, file.data, { mode: file.mode });
  if (user) await chown(path, user.uid, user.gid);
}

async function link(directory: string, names: Set<string>): Promise<void> {
  const present = (await readdir(directory)).filter((name) => !name.startsWith('..'));
  for (const name of present.filter((one) => !names.has(one))) await rm(join(directory, name), { force: true });
  for (const name of names) if (!present.includes(name)) await symlink(join('..data', name), join(directory, name));
}

async function isSame(directory: string, files: Map<string, VolumeFile>): Promise<boolean> {
  const present = await listFiles(directory);
  if (present.length !== files.size) return false;
  for (const path of present) {
    const wanted = files.get(path);
    if (!wanted || !(await readFile(join(directory, path))).equals(wanted.data)) return false;
  }
  return true;
}

async function listFiles(directory: string, below = ''): Promise<string[]> {
  const found: string[] = [];
  const names = await readdir(join(directory, below)).catch(() => [] as string[]);
  for (const name of names) {
    const path = below ? `${below}/${name}` : name;
    if ((await lstat(join(directory, path))).isDirectory()) found.push(...(await listFiles(directory, path)));
    else found.push(path);
  }
  return found;
}
