import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { CatalogueImage, ImageCatalogue } from '@berth/kube/embedded/node/image-catalogue';
import { canRead, canRun } from '../reach/reach.ts';
import { sharedCopy } from '../reach/shared-copy.ts';
import type { SystemUser } from '../reach/system-user.ts';

export interface ShippedImagesOptions {
  /** `NAME/main.mjs` each, as the build makes them. */
  directory: string;
  /** What runs them. */
  node: string;
  postgresBinaries: string;
  /** Who runs pods when we are root. */
  user: SystemUser | undefined;
}

/** The images that ship with Berth as the embedded node runs them: the same entry points as in a container. */
export function shippedImages(options: ShippedImagesOptions): ImageCatalogue {
  const { directory, node } = reachable(options);
  const image = (name: string): CatalogueImage => ({
    entrypoint: [node, programOf(directory, name)],
    command: [],
    env: name === 'postgres' ? { POSTGRES_BIN: options.postgresBinaries } : {},
  });
  return Object.fromEntries(imageNames(directory).map((name) => [`berth.dev/${name}`, image(name)]));
}

function imageNames(directory: string): string[] {
  return readdirSync(directory).filter((name) => existsSync(programOf(directory, name)));
}

function programOf(directory: string, name: string): string {
  return join(directory, name, 'main.mjs');
}

/** Programs in root's home are copied to where the user of pods can run them. */
function reachable({ directory, node, user }: ShippedImagesOptions): { directory: string; node: string } {
  const [first] = imageNames(directory);
  if (!user || first === undefined) return { directory, node };
  return {
    directory: canRead(user, programOf(directory, first)) ? directory : sharedCopy(directory, versionOf(directory)),
    node: canRun(user, node) ? node : sharedCopy(node, process.version),
  };
}

function versionOf(directory: string): string {
  return imageNames(directory)
    .map((name) => `${name} ${statSync(programOf(directory, name)).mtimeMs}`)
    .join('\n');
}
