// What a file system of an image holds, as a list of entries sorted by path. An entry says nothing of who made it or when: only paths,
// modes and content, so the same input is the same image. All of it is root's, and nobody's to change but where it says so.
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';

export interface Entry {
  /** From the root of the file system, without a slash before it. */
  path: string;
  kind: 'directory' | 'file' | 'link';
  mode: number;
  /** Of a file, or the file of this machine that has it. */
  content?: Buffer;
  source?: string;
  /** Of a link. */
  target?: string;
}

/** What a layer is made of. */
export interface LayerContent {
  comment: string;
  entries: Entry[];
}

/** Entries, and lists of them, as deep as they come. */
export type Entries = Entry | readonly Entries[];

export function directory(path: string, { mode = 0o755 } = {}): Entry {
  return { path, kind: 'directory', mode };
}

/** Where whoever runs the image may write; without a volume it is in the container's own layer. All else is root's. */
export function writable(path: string): Entry {
  return directory(path, { mode: 0o1777 });
}

export function file(path: string, content: string | Buffer, { mode = 0o644 } = {}): Entry {
  return { path, kind: 'file', mode, content: Buffer.from(content as Buffer) };
}

export function link(path: string, target: string): Entry {
  return { path, kind: 'link', mode: 0o777, target };
}

/** A file of this machine; of its mode only counts whether it can be run. */
export function copyOf(source: string, path: string): Entry {
  return { path, kind: 'file', mode: modeOf(source), source };
}

/** All that lies in a folder of this machine, put below `path`; `isKept` is asked with the path inside the folder. */
export function folder(from: string, path: string, isKept: (inside: string) => boolean = () => true): Entry[] {
  return list(from).flatMap((inside) => {
    if (!isKept(inside.path)) return [];
    const source = join(from, inside.path);
    const to = join(path, inside.path);
    return [inside.isLink ? link(to, readlinkSync(source)) : copyOf(source, to)];
  });
}

/** One tree out of several, with every folder that an entry lies in. An entry that is there twice is a mistake. */
export function tree(...entries: Entries[]): Entry[] {
  const byPath = new Map<string, Entry>();
  for (const entry of flatten(entries)) {
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

export function contentOf({ content, source }: Entry): Buffer {
  return content ?? readFileSync(source!);
}

function flatten(entries: Entries): Entry[] {
  return Array.isArray(entries) ? entries.flatMap(flatten) : [entries as Entry];
}

function parentsOf(path: string): string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}

function list(directory: string, below = ''): { path: string; isLink: boolean }[] {
  return readdirSync(join(directory, below), { withFileTypes: true }).flatMap((entry) => {
    const path = join(below, entry.name);
    if (entry.isDirectory()) return list(directory, path);
    return [{ path, isLink: entry.isSymbolicLink() }];
  });
}

function modeOf(path: string): number {
  return statSync(path).mode & 0o111 ? 0o755 : 0o644;
}
