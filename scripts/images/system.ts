// What every image stands on: the C and C++ libraries that Node asks for, a shell with the usual small programs, certificates, an init.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { USER } from './configuration.ts';
import { type DebianPackage, debianTree, type Kept, LIBRARIES, unpackDebian } from './debian.ts';
import { directory, type Entry, file, link, tree, writable } from './tree.ts';

/** What is taken of each package, its licence apart. Node brings its own tables of characters, so those of the C library are left out. */
const PACKAGES: Record<string, Kept> = {
  'base-files': ['usr/lib/os-release'],
  'busybox-static': [/^(usr\/)?bin\/busybox$/],
  'ca-certificates': [],
  'libc-bin': ['usr/bin/locale', 'usr/lib/locale/C.utf8/'],
  'libgcc-s1': [LIBRARIES],
  'libstdc++6': [LIBRARIES],
  libc6: [LIBRARIES],
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
export async function systemTree(cache: string): Promise<Entry[]> {
  const packages = await unpackDebian(Object.keys(PACKAGES), cache);
  return tree(
    ['bin', 'lib', 'lib64', 'sbin'].map((name) => link(name, `usr/${name}`)),
    ['dev', 'etc', 'proc', 'run', 'sys', 'usr/sbin', 'var'].map((path) => directory(path)),
    writable('tmp'),
    file('etc/passwd', ACCOUNTS),
    file('etc/group', GROUPS),
    file('etc/nsswitch.conf', NAME_SERVICES),
    link('etc/os-release', '../usr/lib/os-release'),
    file('etc/ssl/certs/ca-certificates.crt', certificatesOf(packages)),
    SMALL_PROGRAMS.map((name) => link(`usr/bin/${name}`, 'busybox')),
    packages.map((each) => debianTree(each, PACKAGES[each.name] ?? [])),
  );
}

/** All authorities in one file, as programs that use OpenSSL look for them. */
function certificatesOf(packages: DebianPackage[]): string {
  const { root } = packages.find(({ name }) => name === 'ca-certificates')!;
  const place = join(root, 'usr/share/ca-certificates/mozilla');
  return readdirSync(place)
    .sort()
    .map((name) => readFileSync(join(place, name), 'utf8').trimEnd())
    .join('\n')
    .concat('\n');
}
