import { join } from 'node:path';
import { describeImage, writeArchive } from './archive.ts';
import { type LayerFile, makeLayer } from './layer.ts';
import { recipeOf } from './recipes.ts';
import { writeRootfs } from './rootfs.ts';
import type { LayerContent } from './tree.ts';

/** As the specification of images calls what Node calls otherwise. */
const ARCHITECTURES: Partial<Record<NodeJS.Architecture, string>> = { arm64: 'arm64', x64: 'amd64' };

export type Layer = LayerFile & LayerContent;

export async function makeLayers(parts: LayerContent[], cache: string): Promise<Layer[]> {
  const layers: Layer[] = [];
  for (const part of parts) layers.push({ ...part, ...(await makeLayer(part.entries, cache)) });
  return layers;
}

export interface MakeOptions {
  /** The layers that all images begin with. */
  shared: Layer[];
  prefix: string;
  out: string;
  rootfs: string | undefined;
  cache: string;
}

export interface MadeImage {
  reference: string;
  digest: string;
  layers: Layer[];
  path: string;
  /** False when the archive was there already. */
  isNew: boolean;
}

/** Makes one image on the layers that all share: `out/NAME.tar` and, where it is wanted, `rootfs/NAME`. */
export async function makeImage(name: string, how: MakeOptions): Promise<MadeImage> {
  const { shared, prefix, out, rootfs, cache } = how;
  const { tag, configuration, layers: own } = await recipeOf(name, cache);
  const layers = [...shared, ...(await makeLayers(own, cache))];
  const reference = `${prefix}/${name}:${tag}`;
  const image = describeImage({ reference, architecture: ARCHITECTURES[process.arch]!, configuration, layers });
  const path = join(out, `${name}.tar`);
  const isNew = writeArchive(image, path);
  if (rootfs) writeRootfs(join(rootfs, name), layers);
  return { reference, digest: image.digest, layers, path, isNew };
}
