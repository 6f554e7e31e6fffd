// What a file system of an image holds, as a list of entries sorted by path. An entry says nothing of who made it or when: only paths,
// modes, owners and content, so the same input is the same image.
//   { path, kind: 'directory' | 'file' | 'link', mode, owner, content | source, target }
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Whom all images of ours run as: a number, since Kubernetes cannot tell from a name that it is not root's. */
export const USER = 10001;

export function directory(path, { mode = 0o755, owner = 0 } = {}) {
  return { path, kind: 'directory', mode, owner };
}

export function file(path, content, { mode = 0o644 } = {}) {
  return { path, kind: 'file', mode, owner: 0, content: Buffer.from(content) };
}

export function link(path, target) {
  return { path, kind: 'link', mode: 0o777, owner: 0, target };
}

/** A file of this machine; of its mode only counts whether it can be run. */
export function copyOf(source, path) {
  return { path, kind: 'file', mode: modeOf(source), owner: 0, source };
}

/** All that lies in a folder of this machine, put below `path`; `isKept` is asked with the path inside the folder. */
export function folder(from, path, isKept = () => true) {
  return list(from).flatMap((inside) => {
    if (!isKept(inside.path)) return [];
    const source = join(from, inside.path);
    const to = join(path, inside.path);
    return [inside.isLink ? link(to, readlinkSync(source)) : copyOf(source, to)];
  });
}

/** One tree out of several, with every folder that an entry lies in. An entry that is there twice is a mistake. */
export function tree(...entries) {
  const byPath = new Map();
  for (const entry of entries.flat(Number.POSITIVE_INFINITY)) {
    const before = byPath.get(entry.path);
    if (before && !(before.kind === 'directory' && entry.kind === 'directory')) {
      throw new Error(`${entry.path} is in the image twice`);
    }
    byPath.set(entry.path, entry);
  }
  for (const path of [...byPath.keys()]) {
    for (const parent of parentsOf(path)) if (!byPath.has(parent)) byPath.set(parent, directory(parent));
  }
  return [...byPath.values()].sort((one, other) => (one.path < other.path ? -1 : 1));
}

export function contentOf(entry) {
  return entry.content ?? readFileSync(entry.source);
}

function parentsOf(path) {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}

function list(directory, below = '') {
  return readdirSync(join(directory, below), { withFileTypes: true }).flatMap((entry) => {
    const path = join(below, entry.name);
    if (entry.isDirectory()) return list(directory, path);
    return [{ path, isLink: entry.isSymbolicLink() }];
  });
}

function modeOf(path) {
  return statSync(path).mode & 0o111 ? 0o755 : 0o644;
}
