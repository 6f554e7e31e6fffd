import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { tarOf } from './tar.ts';
import type { Entry } from './tree.ts';

const compress = promisify(gzip);
const KEPT_DAYS = 30;

export interface LayerFile {
  path: string;
  /** What it is called compressed, and what its content is called unpacked. */
  digest: string;
  diffId: string;
  size: number;
  unpacked: number;
}

/**
 * A layer out of a tree, as a file of the cache. The cache knows it by its content, so a layer that was made before is never compressed again and can never be a stale one.
 */
export async function makeLayer(entries: Entry[], cache: string): Promise<LayerFile> {
  const tar = tarOf(entries);
  const diffId = digestOf(tar);
  const path = join(folderOf(cache), `${diffId.slice('sha256:'.length)}.tar.gz`);
  if (!existsSync(path)) {
    mkdirSync(folderOf(cache), { recursive: true });
    const unfinished = `${path}.${process.pid}`;
    writeFileSync(unfinished, await compress(tar, { level: 9 }));
    renameSync(unfinished, path);
  }
  utimesSync(path, new Date(), new Date());
  const compressed = readFileSync(path);
  return { path, diffId, digest: digestOf(compressed), size: compressed.length, unpacked: tar.length };
}

/** Every change to a program leaves its former layer behind. */
export function forgetOldLayers(cache: string, now = Date.now()): void {
  for (const name of readdirSync(folderOf(cache))) {
    const path = join(folderOf(cache), name);
    if (now - statSync(path).mtimeMs > KEPT_DAYS * 24 * 60 * 60 * 1000) rmSync(path, { force: true });
  }
}

export function digestOf(bytes: Buffer): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

function folderOf(cache: string): string {
  return join(cache, 'layers');
}
