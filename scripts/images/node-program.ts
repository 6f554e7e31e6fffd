import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { installTools } from '../install.mjs';
import { PlainError } from '../steps.mjs';
import { readJson } from './read-json.ts';
import { copyOf, type LayerContent, tree } from './tree.ts';

/** The official program, of the version and with the hash that the lock file beside this file says. */
export async function nodeLayer(): Promise<LayerContent> {
  const name = `node-linux-${process.arch}`;
  const place = join(await installTools('scripts/images'), 'node_modules', name);
  if (!existsSync(place)) {
    throw new PlainError(`images are built on Linux, x64 or arm64, and this is ${process.platform} ${process.arch}`);
  }
  const { version } = readJson<{ version: string }>(join(place, 'package.json'));
  const entries = [
    copyOf(join(place, 'bin/node'), 'usr/local/bin/node'),
    copyOf(join(place, 'LICENSE'), 'usr/share/doc/nodejs/copyright'),
  ];
  return { comment: `Node.js ${version}`, entries: tree(entries) };
}
