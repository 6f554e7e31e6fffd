import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { isRunning, ownIdentity, type ProcessIdentity } from '../processes/process-identity.ts';
import type { DataPaths } from './data-paths.ts';
import { readJsonFile } from './json-file.ts';

/**
 * One Berth a data directory. The lock is a file with the holder's pid and start time, put in place by a hard link, which fails
 * when there is one and shows it only whole. A holder that no longer runs is replaced: its file is moved aside under a name
 * of our own and looked at once more, for between reading and moving somebody else may have taken it over. (Three starts
 * in the same few microseconds could still slip through; PostgreSQL's own lock on its directory then stops the later one.)
 */
export interface Lock {
  release(): void;
}

export function takeLock(paths: Pick<DataPaths, 'root' | 'lock' | 'berthFile'>): Lock {
  const own = JSON.stringify(ownIdentity());
  const prepared = `${paths.lock}.${process.pid}`;
  writeFileSync(prepared, own, { mode: 0o600 });
  try {
    for (let attempt = 0; attempt < 10; attempt++) {
      if (link(prepared, paths.lock)) return { release: () => release(paths.lock, own) };
      removeIfStale(paths);
    }
  } finally {
    rmSync(prepared, { force: true });
  }
  throw new Error(`cannot lock ${paths.root}: ${paths.lock} comes back as soon as it is removed`);
}

/** Undefined when nobody holds it. */
export function lockHolder(paths: Pick<DataPaths, 'lock'>): ProcessIdentity | undefined {
  const holder = readJsonFile(paths.lock) as ProcessIdentity | undefined;
  return holder && isRunning(holder) ? holder : undefined;
}

function removeIfStale(paths: Pick<DataPaths, 'root' | 'lock' | 'berthFile'>): void {
  const holder = lockHolder(paths);
  if (holder) throw new Error(refusal(paths, holder));
  const aside = `${paths.lock}.stale.${process.pid}`;
  if (!move(paths.lock, aside)) return;
  const moved = readJsonFile(aside) as ProcessIdentity | undefined;
  if (moved && isRunning(moved)) link(aside, paths.lock);
  rmSync(aside, { force: true });
}

function refusal({ root, berthFile }: Pick<DataPaths, 'root' | 'berthFile'>, holder: ProcessIdentity): string {
  const known = readJsonFile(berthFile) as { url?: string; pid?: number } | undefined;
  const state = known?.pid === holder.pid && known.url ? `at ${known.url}` : 'still starting or stopping';
  return (
    `a Berth runs on ${root} already: process ${holder.pid}, ${state}. ` +
    'Use that one, stop it first, or start this one on another folder with --data DIR'
  );
}

function release(lock: string, own: string): void {
  try {
    if (readFileSync(lock, 'utf8') === own) rmSync(lock, { force: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

function link(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function move(from: string, to: string): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}
