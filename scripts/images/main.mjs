// npm run images: Berth's own image and the shipped ones as OCI archives, without a container engine (docs/guides/images.md).
import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { buildIfChanged } from '../build.mjs';
import { install } from '../install.mjs';
import { reportAndExit, requireNode, root, step } from '../steps.mjs';
import { describeImage, writeArchive } from './archive.mjs';
import { makeLayer } from './layer.mjs';
import { readOptions, USAGE } from './options.mjs';
import { recipeNames, recipeOf, sharedLayers } from './recipes.mjs';
import { writeRootfs } from './rootfs.mjs';

const ARCHITECTURES = { arm64: 'arm64', x64: 'amd64' };
const MEGABYTE = 1_000_000;

async function makeImages({ out, prefix, rootfs, names }) {
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'berth/images');
  mkdirSync(out, { recursive: true });
  const made = new Map();
  const layersOf = async (parts) => {
    const layers = [];
    for (const part of parts) {
      if (!made.has(part)) made.set(part, { ...(await makeLayer(part.entries, cache)), comment: part.comment });
      layers.push(made.get(part));
    }
    return layers;
  };

  const shared = await step('Gathering what all images share', () => sharedLayers(cache));
  const lines = [];
  await step('Making images', async () => {
    for (const name of names) {
      const recipe = await recipeOf(name, cache);
      const parts = [...shared, ...recipe.layers];
      const layers = await layersOf(parts);
      const image = describeImage({
        reference: `${prefix}/${name}:${recipe.tag}`,
        architecture: ARCHITECTURES[process.arch],
        config: recipe.config,
        layers,
      });
      const path = join(out, `${name}.tar`);
      const isNew = writeArchive(image, path);
      if (rootfs)
        writeRootfs(
          parts.flatMap(({ entries }) => entries),
          join(rootfs, name),
        );
      lines.push(lineOf({ image, path, layers, isNew, shared: shared.length }));
    }
  });
  return lines;
}

function lineOf({ image, path, layers, isNew, shared }) {
  const sum = (of, field) => of.reduce((total, layer) => total + layer[field], 0);
  const size = (bytes) => `${(bytes / MEGABYTE).toFixed(1)} MB`;
  return [
    image.reference.padEnd(36),
    `${size(sum(layers, 'size')).padStart(9)} packed`,
    `${size(sum(layers, 'unpacked')).padStart(9)} unpacked`,
    `${size(sum(layers.slice(shared), 'unpacked')).padStart(9)} its own`,
    image.digest.slice(0, 19),
    `${path}${isNew ? '' : ' (unchanged)'}`,
  ].join('  ');
}

try {
  requireNode();
  const parameters = process.argv.slice(2);
  if (parameters.includes('--help')) {
    console.log(USAGE);
  } else {
    const options = readOptions(parameters, recipeNames());
    await install();
    await buildIfChanged();
    // Relative to where the command was given, which npm remembers.
    const from = process.env.INIT_CWD || root;
    const out = options.out === 'dist/images' ? join(root, options.out) : resolve(from, options.out);
    const rootfs = options.rootfs && resolve(from, options.rootfs);
    for (const line of await makeImages({ ...options, out, rootfs })) console.log(line);
  }
} catch (error) {
  reportAndExit(error);
}
