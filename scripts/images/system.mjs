// What every image stands on: the C and C++ libraries that Node asks for, a shell with the usual small programs, certificates, an init.
// The packages are Debian's, at the version that apt names now: a rebuild brings what was mended, and the same versions make the same
// image. What each was is noted where scanners look for it.
import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { PlainError, run } from '../steps.mjs';
import { copyOf, directory, file, folder, link, tree, USER } from './tree.mjs';

/** What is taken of each package, its licence apart. Node brings its own tables of characters, so those of the C library are left out. */
const PACKAGES = {
  'base-files': ['usr/lib/os-release'],
  'busybox-static': ['bin/busybox'],
  'ca-certificates': [],
  'libc-bin': ['usr/bin/locale', 'usr/lib/locale/C.utf8/'],
  'libgcc-s1': ['lib/'],
  'libstdc++6': [/^usr\/lib\/[^/]+\/libstdc\+\+\.so/],
  libc6: ['lib/', 'lib64/'],
  tini: [/^usr\/bin\/tini$/],
};

/** Those of busybox that somebody asks for who looks into a container, or a script that runs in one. */
const SMALL_PROGRAMS =
  `[ ash awk base64 basename bzip2 cat chmod clear cmp cp cut date dd df diff dirname du echo egrep env expand expr
  false fgrep find fold free grep gunzip gzip head hexdump hostname id kill killall less ln ls md5sum mkdir mkfifo mktemp more mv nc
  nproc nslookup od paste pidof ping pkill pgrep printenv printf ps pwd readlink realpath reset rm rmdir sed seq sh sha1sum sha256sum
  sha512sum sleep sort split stat stty sync tac tail tar tee telnet test time timeout top touch tr true truncate tty uname uniq unlink
  unzip uptime vi watch wc wget which whoami xargs xz yes zcat`
    .split(/\s+/)
    .sort();

const ACCOUNTS = `root:x:0:0:root:/:/bin/sh\nberth:x:${USER}:${USER}:Berth:/tmp:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n`;
const GROUPS = `root:x:0:\nberth:x:${USER}:\nnogroup:x:65534:\n`;
const NAME_SERVICES = 'passwd: files\ngroup: files\nhosts: files dns\nservices: files\n';

/** The tree of the layer that all images share. */
export async function systemTree(cache) {
  const packages = await unpackDebian(Object.keys(PACKAGES), cache);
  return tree(
    ['bin', 'lib', 'lib64', 'sbin'].map((name) => link(name, `usr/${name}`)),
    ['dev', 'etc', 'proc', 'run', 'sys', 'usr/sbin', 'var'].map((path) => directory(path)),
    directory('tmp', { mode: 0o1777 }),
    file('etc/passwd', ACCOUNTS),
    file('etc/group', GROUPS),
    file('etc/nsswitch.conf', NAME_SERVICES),
    link('etc/os-release', '../usr/lib/os-release'),
    file('etc/ssl/certs/ca-certificates.crt', certificatesOf(packages)),
    SMALL_PROGRAMS.map((name) => link(`usr/bin/${name}`, 'busybox')),
    packages.map((each) => debianTree(each, PACKAGES[each.name] ?? [])),
  );
}

/** Files of a Debian package whose paths begin with, or match, one of `kept`; its licence and its note for scanners always. */
export function debianTree({ name, root, control }, kept) {
  const isKept = (path) => kept.some((each) => (each instanceof RegExp ? each.test(path) : path.startsWith(each)));
  return [
    folder(root, '', isKept).map((entry) => ({ ...entry, path: merged(entry.path) })),
    licenceOf(name, root),
    file(`var/lib/dpkg/status.d/${name}`, control),
  ].flat();
}

/**
 * Downloads packages and unpacks them into the cache; returns where each lies. The licence of some is in another package, which is fetched
 * for it.
 */
export async function unpackDebian(names, cache) {
  const wanted = await findDebian(names);
  const packages = [];
  for (const each of wanted) packages.push(await unpack(each, cache));
  const elsewhere = packages.flatMap(({ name, root }) => licencePackage(name, root) ?? []);
  const missing = [...new Set(elsewhere)].filter((name) => !names.includes(name));
  return missing.length > 0 ? [...packages, ...(await unpackDebian(missing, cache))] : packages;
}

/** What apt would download now: name and file of each. Lists are refreshed only where there are none. */
async function findDebian(names) {
  const ask = async () => {
    const answer = await run('apt-get', ['download', '--print-uris', ...names], { quiet: true });
    return answer.split('\n').flatMap((line) => /^'\S+' ((\S+?)_\S+\.deb) /.exec(line)?.slice(1, 3) ?? []);
  };
  const found = await ask()
    .catch(async () => {
      await run('apt-get', ['update', '-q']);
      return ask();
    })
    .catch((error) => {
      throw new PlainError(
        `The libraries of images are taken from Debian's packages, which this machine cannot give (${error.message}). ` +
          'Build images on Debian or Ubuntu, or in a container of theirs; as root, for the first time.',
      );
    });
  return names.map((name) => ({ name, deb: found[found.indexOf(name) - 1] }));
}

async function unpack({ name, deb }, cache) {
  const folder = join(cache, 'debian', deb.replace(/\.deb$/, ''));
  const [root, note] = [join(folder, 'root'), join(folder, 'control')];
  if (!existsSync(folder)) {
    const unfinished = `${folder}.${process.pid}`;
    mkdirSync(unfinished, { recursive: true });
    await run('apt-get', ['download', '-q', '-o', 'APT::Sandbox::User=', name], { cwd: unfinished });
    await run('dpkg-deb', ['--extract', deb, 'root'], { cwd: unfinished });
    await run('sh', ['-c', 'dpkg-deb --field "$1" >control', 'sh', deb], { cwd: unfinished });
    rmSync(join(unfinished, deb));
    renameSync(unfinished, folder);
  }
  return { name, root, control: readFileSync(note) };
}

/** Since all of it lies below `usr`, with links from where it was. */
function merged(path) {
  return /^(bin|lib|lib64|sbin)\//.test(path) ? `usr/${path}` : path;
}

function licenceOf(name, root) {
  const place = `usr/share/doc/${name}`;
  const elsewhere = licencePackage(name, root);
  if (elsewhere !== undefined) return [link(place, elsewhere)];
  return [copyOf(join(root, place, 'copyright'), `${place}/copyright`)];
}

function licencePackage(name, root) {
  const place = join(root, 'usr/share/doc');
  const entry = readdirSync(place, { withFileTypes: true }).find((each) => each.name === name);
  return entry?.isSymbolicLink() ? readlinkSync(join(place, name)) : undefined;
}

/** All authorities in one file, as programs that use OpenSSL look for them. */
function certificatesOf(packages) {
  const { root } = packages.find(({ name }) => name === 'ca-certificates');
  const place = join(root, 'usr/share/ca-certificates/mozilla');
  return readdirSync(place)
    .sort()
    .map((name) => readFileSync(join(place, name), 'utf8').trimEnd())
    .join('\n')
    .concat('\n');
}
