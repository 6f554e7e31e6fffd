import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { tarOf } from './tar.mjs';

const compress = promisify(gzip);

/**
 * A layer out of a tree: its file in the cache, what it is called compressed (digest) and unpacked (diffId). The cache knows it by its
 * content, so a layer that was made before is never compressed again and can never be a stale one.
 */
export async function makeLayer(entries, cache) {
  const tar = tarOf(entries);
  const diffId = digestOf(tar);
  const place = join(cache, 'layers');
  const path = join(place, `${diffId.slice('sha256:'.length)}.tar.gz`);
  if (!existsSync(path)) {
    mkdirSync(place, { recursive: true });
    const unfinished = `${path}.${process.pid}`;
    writeFileSync(unfinished, await compress(tar, { level: 9 }));
    renameSync(unfinished, path);
  }
  const compressed = readFileSync(path);
  return { path, diffId, digest: digestOf(compressed), size: compressed.length, unpacked: tar.length };
}

export function digestOf(bytes) {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}
