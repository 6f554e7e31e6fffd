// Files out of Debian's packages, at the version that apt names now, so that a rebuild brings what was mended. Same versions, same files.
import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { PlainError, run } from '../steps.mjs';
import { copyOf, type Entry, file, folder, link } from './tree.ts';

/** What is taken of a package: beginnings of paths, or what they match. */
export type Kept = (string | RegExp)[];

/** Where releases of Debian and its relatives have put them. */
export const LIBRARIES = /^(usr\/)?lib(64)?\/([^/]+\/)?[^/]+\.so(\.[^/]*)?$/;

export interface DebianPackage {
  name: string;
  /** Where it is unpacked. */
  root: string;
  /** What it says of itself. */
  control: Buffer;
}

/** What is kept of a package, its licence, and its note where scanners look for what is in an image. */
export function debianTree({ name, root, control }: DebianPackage, kept: Kept): Entry[] {
  const isKept = (path: string): boolean =>
    kept.some((each) => (each instanceof RegExp ? each.test(path) : path.startsWith(each)));
  return [
    ...folder(root, '', isKept).map((entry) => ({ ...entry, path: belowUsr(entry.path) })),
    licenceOf(name, root),
    file(`var/lib/dpkg/status.d/${name}`, control),
  ];
}

/**
 * Packages, unpacked in the cache. The licence of some is in another package, which comes with them. Lists of packages that are missing, or
 * so old that they name what is gone, are refreshed.
 */
export async function unpackDebian(names: string[], cache: string): Promise<DebianPackage[]> {
  try {
    return await unpackAll(names, cache).catch(async () => {
      await run('apt-get', ['update', '-q']);
      return unpackAll(names, cache);
    });
  } catch (error) {
    throw new PlainError(
      `the libraries of images are taken from Debian's packages, which this machine cannot give (${(error as Error).message}): ` +
        'build images on Debian or Ubuntu or in a container of theirs, as root when lists of packages are to be refreshed',
    );
  }
}

async function unpackAll(names: string[], cache: string): Promise<DebianPackage[]> {
  const packages: DebianPackage[] = [];
  for (const each of await findDebian(names)) packages.push(await unpack(each, cache));
  const elsewhere = packages.flatMap(({ name, root }) => licencePackage(name, root) ?? []);
  const missing = [...new Set(elsewhere)].filter((name) => !names.includes(name));
  return missing.length > 0 ? [...packages, ...(await unpackAll(missing, cache))] : packages;
}

/** What apt would download now: the file of each. */
async function findDebian(names: string[]): Promise<{ name: string; deb: string }[]> {
  const answer = await run('apt-get', ['download', '--print-uris', ...names], { quiet: true });
  return [...answer.matchAll(/^'\S+' ((\S+?)_\S+\.deb) /gm)].map(([, deb, name]) => ({ name: name!, deb: deb! }));
}

async function unpack({ name, deb }: { name: string; deb: string }, cache: string): Promise<DebianPackage> {
  const place = join(cache, 'debian', deb.replace(/\.deb$/, ''));
  if (!existsSync(place)) {
    const unfinished = `${place}.${process.pid}`;
    mkdirSync(unfinished, { recursive: true });
    await run('apt-get', ['download', '-q', '-o', 'APT::Sandbox::User=', name], { cwd: unfinished, quiet: true });
    await run('dpkg-deb', ['--extract', deb, 'root'], { cwd: unfinished });
    await run('sh', ['-c', 'dpkg-deb --field "$1" >control', 'sh', deb], { cwd: unfinished });
    rmSync(join(unfinished, deb));
    // Whoever was faster has the same.
    if (existsSync(place)) rmSync(unfinished, { recursive: true });
    else renameSync(unfinished, place);
  }
  return { name, root: join(place, 'root'), control: readFileSync(join(place, 'control')) };
}

/** All programs and libraries lie below `usr`, with links from where they used to be. */
function belowUsr(path: string): string {
  return /^(bin|lib|lib64|sbin)\//.test(path) ? `usr/${path}` : path;
}

function licenceOf(name: string, root: string): Entry {
  const place = `usr/share/doc/${name}`;
  const elsewhere = licencePackage(name, root);
  return elsewhere === undefined
    ? copyOf(join(root, place, 'copyright'), `${place}/copyright`)
    : link(place, elsewhere);
}

function licencePackage(name: string, root: string): string | undefined {
  const place = join(root, 'usr/share/doc');
  const entry = readdirSync(place, { withFileTypes: true }).find((each) => each.name === name);
  return entry?.isSymbolicLink() ? readlinkSync(join(place, name)) : undefined;
}
