import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { reportAndExit, root, step } from '../steps.mjs';
import { forgetOldLayers } from './layer.ts';
import { type Layer, type MadeImage, makeImage, makeLayers } from './make-image.ts';
import { readOptions, USAGE } from './options.ts';
import { recipeNames, sharedLayers } from './recipes.ts';

const MEGABYTE = 1_000_000;

async function main(parameters: string[]): Promise<void> {
  const options = readOptions(parameters, recipeNames());
  // Relative to where the command was given, which npm remembers.
  const from = process.env.INIT_CWD || root;
  const out = options.out === undefined ? join(root, 'dist/images') : resolve(from, options.out);
  const rootfs = options.rootfs === undefined ? undefined : resolve(from, options.rootfs);
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'berth/images');
  mkdirSync(out, { recursive: true });

  const shared = await step('Making what all images share', async () => makeLayers(await sharedLayers(cache), cache));
  const images: MadeImage[] = [];
  for (const name of options.names) {
    const make = () => makeImage(name, { shared, prefix: options.prefix, out, rootfs, cache });
    images.push(await step(`Making ${name}`, make));
  }
  forgetOldLayers(cache);
  for (const image of images) console.log(lineOf(image, shared));
}

function lineOf({ reference, digest, layers, path, isNew }: MadeImage, shared: Layer[]): string {
  const own = layers.filter((layer) => !shared.includes(layer));
  return [
    reference.padEnd(32),
    `${megabytes(layers, 'size')} packed`,
    `${megabytes(layers, 'unpacked')} unpacked, of which ${megabytes(own, 'unpacked')} are its own`,
    digest.slice(0, 'sha256:'.length + 12),
    `${path}${isNew ? '' : ' (unchanged)'}`,
  ].join('  ');
}

function megabytes(layers: Layer[], field: 'size' | 'unpacked'): string {
  const bytes = layers.reduce((total, layer) => total + layer[field], 0);
  return `${(bytes / MEGABYTE).toFixed(1)} MB`.padStart(8);
}

try {
  if (process.argv.includes('--help')) console.log(USAGE);
  else await main(process.argv.slice(2));
} catch (error) {
  reportAndExit(error);
}
