import { cpSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { hashOfPath, SHARED_DIRECTORY } from './shared-folder.ts';

/**
 * A copy of programs where every user can reach them, made once per version and whole: `version` is whatever changes when their
 * content does.
 */
export function sharedCopy(source: string, version: string, shared: string = SHARED_DIRECTORY): string {
  const folder = join(shared, `programs-${hashOfPath(`${source}\0${version}`)}`);
  const copy = join(folder, basename(source));
  if (existsSync(copy)) return copy;
  mkdirSync(shared, { recursive: true, mode: 0o711 });
  const unfinished = `${folder}.${process.pid}`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { mode: 0o755 });
  cpSync(source, join(unfinished, basename(source)), { recursive: true, verbatimSymlinks: true, filter: isNoArchive });
  rmSync(folder, { recursive: true, force: true });
  renameSync(unfinished, folder);
  return copy;
}

/** Beside the folders of images may lie the same as archives for a cluster, which nobody runs. */
function isNoArchive(path: string): boolean {
  return !path.endsWith('.tar');
}
