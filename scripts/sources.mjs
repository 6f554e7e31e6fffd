// What the build is made from, as one hash. Node's own modules only.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './steps.mjs';

const FOLDERS = ['packages', 'images', 'templates'];
const FILES = ['package-lock.json', 'scripts/build.mjs', 'scripts/images.mjs'];
const SKIPPED_FOLDERS = new Set(['node_modules', 'testing', 'testdata', 'fixtures', 'scripts', 'dist']);

export function hashOfSources() {
  const hash = createHash('sha256');
  const files = [...FOLDERS.flatMap((folder) => listFiles(folder)), ...FILES].sort();
  for (const file of files) {
    const content = readFileSync(join(root, file));
    hash.update(`${file}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}

/** The hash that `dist` was built from, if it was finished. */
export function hashOfBuild() {
  const stamp = join(root, 'dist/.stamp');
  return existsSync(stamp) ? readFileSync(stamp, 'utf8').trim() : undefined;
}

function listFiles(folder) {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return SKIPPED_FOLDERS.has(entry.name) ? [] : listFiles(path);
    return entry.isFile() && !/\.test\.tsx?$/.test(entry.name) ? [path] : [];
  });
}
