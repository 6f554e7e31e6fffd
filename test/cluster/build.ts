import { createHash } from 'node:crypto';
import { access, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run, step } from '../../scripts/steps.mjs';
import { withLock } from './lock.ts';
import type { Module } from './programs.ts';

/**
 * Go programs, built once. Each is kept in a folder that is named by a hash of everything it comes from, so a folder that is there is
 * right, whichever checkout made it.
 */
const MODULES = fileURLToPath(new URL('./modules', import.meta.url));
// Part of the hash: a change of flags is a change of programs.
const FLAGS = ['-mod=readonly', '-trimpath', '-buildvcs=false'];
const LINKER_FLAGS = '-s -w';
const HASH_LENGTH = 16;
const FORGOTTEN_AFTER_MS = 14 * 86_400_000;

export interface Built {
  /** Absolute paths by the program's name, files of modules included. */
  [program: string]: string;
}

export async function build(modules: Module[], cache: string): Promise<Built> {
  // Two builds at once would only do the same twice.
  if (!(await isBuilt(modules, cache))) await withLock(cache, () => buildMissing(modules, cache));
  for (const module of modules) await forgetOlder(await folderOf(module, cache));
  return locate(modules, cache);
}

async function buildMissing(modules: Module[], cache: string): Promise<void> {
  const missing = await filterAsync(modules, async (module) => !(await exists(await folderOf(module, cache))));
  for (const [index, module] of missing.entries()) {
    const names = Object.keys({ ...module.programs, ...module.tests });
    const what = names.length > 3 ? `${names[0]} and ${names.length - 1} more` : names.join(', ');
    const title = `Building ${[what, module.version].join(' ').trim()} (${index + 1} of ${missing.length})`;
    const folder = await folderOf(module, cache);
    await step(title, () => buildModule(module, folder));
  }
}

/** Whether a build would have nothing to do, so that nothing is needed for it. */
export async function isBuilt(modules: Module[], cache: string): Promise<boolean> {
  const there = await Promise.all(modules.map(async (module) => exists(await folderOf(module, cache))));
  return !there.includes(false);
}

/** Other builds of the same that nobody asked for in a long time. */
async function forgetOlder(folder: string): Promise<void> {
  const now = new Date();
  await utimes(folder, now, now);
  const prefix = basename(folder).slice(0, -HASH_LENGTH);
  for (const name of await readdir(dirname(folder))) {
    if (!name.startsWith(prefix)) continue;
    const path = join(dirname(folder), name);
    // One that is being made may have got its name meanwhile.
    const known = await stat(path).catch(() => undefined);
    if (known && now.getTime() - known.mtimeMs > FORGOTTEN_AFTER_MS) await rm(path, { recursive: true, force: true });
  }
}

/** Where they are once they are built. */
export async function locate(modules: Module[], cache: string): Promise<Built> {
  const folders = await Promise.all(modules.map((module) => folderOf(module, cache)));
  return Object.fromEntries(
    modules.flatMap((module, index) => namesOf(module).map((name) => [name, join(folders[index]!, name)])),
  );
}

/** Into a folder beside the wanted one, which gets its name when it is whole: an interrupted build leaves nothing that looks built. */
async function buildModule(module: Module, folder: string): Promise<void> {
  await mkdir(join(folder, '..'), { recursive: true });
  const making = await mkdtemp(`${folder}.`);
  try {
    const linkerFlags = [LINKER_FLAGS, module.linkerFlags ?? ''].join(' ').trim();
    const command = ['build', ...FLAGS, '-ldflags', linkerFlags, '-o'];
    const programs = Object.entries(module.programs);
    // Go itself calls a program as its package; all of these at once are built faster than one after the other.
    if (programs.every(([name, source]) => basename(source) === name)) {
      await go(module, [...command, `${making}/`, ...programs.map(([, source]) => source)]);
    } else {
      for (const [name, source] of programs) await go(module, [...command, join(making, name), source]);
    }
    for (const [name, source] of Object.entries(module.tests ?? {})) {
      await go(module, ['test', '-c', ...FLAGS, '-ldflags', linkerFlags, '-o', join(making, name), source]);
    }
    for (const { module: from, paths, name } of module.files ?? []) {
      const root = (await go(module, ['list', '-mod=readonly', '-m', '-f', '{{.Dir}}', from])).trim();
      const documents = await Promise.all(paths.map((path) => readFile(join(root, path), 'utf8')));
      await writeFile(join(making, name), documents.join('\n---\n'));
    }
    await rename(making, folder);
  } catch (error) {
    // Another process may have been faster with the same.
    if (!(await exists(folder))) throw error;
  } finally {
    await rm(making, { recursive: true, force: true });
  }
}

function go(module: Module, parameters: string[]): Promise<string> {
  // An older Go fetches the one that a go.mod asks for, unless somebody decided otherwise.
  const GOTOOLCHAIN = process.env.GOTOOLCHAIN || 'auto';
  const env = { ...process.env, CGO_ENABLED: '0', GOFLAGS: '', GOWORK: 'off', GOTOOLCHAIN };
  return run('go', parameters, { cwd: join(MODULES, module.name), env });
}

async function folderOf(module: Module, cache: string): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify([FLAGS, LINKER_FLAGS, module]));
  const folder = join(MODULES, module.name);
  for (const file of (await readdir(folder)).sort()) hash.update(file).update(await readFile(join(folder, file)));
  return join(cache, 'programs', `${Object.keys(module.programs)[0]}-${hash.digest('hex').slice(0, HASH_LENGTH)}`);
}

function namesOf(module: Module): string[] {
  return [...Object.keys({ ...module.programs, ...module.tests }), ...(module.files ?? []).map(({ name }) => name)];
}

async function filterAsync<T>(items: T[], keep: (item: T) => Promise<boolean>): Promise<T[]> {
  const kept = await Promise.all(items.map(keep));
  return items.filter((_, index) => kept[index]);
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
