import { chmodSync, lchownSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { contentOf } from './tree.mjs';

/** Lays a tree out as a folder: for Dockerfiles, and for a look. Who is not root cannot give files away, so all are theirs then. */
export function writeRootfs(entries, place) {
  rmSync(place, { recursive: true, force: true });
  mkdirSync(place, { recursive: true });
  const isRoot = process.getuid?.() === 0;
  for (const entry of entries) {
    const path = join(place, entry.path);
    if (entry.kind === 'directory') mkdirSync(path, { recursive: true });
    else if (entry.kind === 'link') symlinkSync(entry.target, path);
    else writeFileSync(path, contentOf(entry));
    if (entry.kind !== 'link') chmodSync(path, entry.mode);
    if (isRoot) lchownSync(path, entry.owner, entry.owner);
  }
}
