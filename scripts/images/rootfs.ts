import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { contentOf, type LayerContent } from './tree.ts';

/** Lays the layers of an image out as a folder: for Dockerfiles, and for a look. */
export function writeRootfs(place: string, layers: Pick<LayerContent, 'entries'>[]): void {
  rmSync(place, { recursive: true, force: true });
  mkdirSync(place, { recursive: true });
  for (const entry of layers.flatMap(({ entries }) => entries)) {
    const path = join(place, entry.path);
    if (entry.kind === 'directory') mkdirSync(path, { recursive: true });
    else if (entry.kind === 'link') symlinkSync(entry.target!, path);
    else writeFileSync(path, contentOf(entry));
    // What a program writes is cut by the umask of whoever runs it.
    if (entry.kind !== 'link') chmodSync(path, entry.mode);
  }
}
