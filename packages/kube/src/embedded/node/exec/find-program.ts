import { accessSync, constants, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Launch } from '../process/container-process.ts';

/** What a shell would start, or why it could not, in the words of a container runtime and with a shell's exit code. */
export type FoundProgram = { path: string } | { exitCode: number; message: string };

const NOT_FOUND = 127;
const NOT_EXECUTABLE = 126;

/** Looked for before anything starts: a terminal would tell a failed start only as some exit code. */
export function findProgram(
  name: string,
  { directory, environment }: Pick<Launch, 'directory' | 'environment'>,
): FoundProgram {
  const quoted = JSON.stringify(name);
  const candidates = name.includes('/')
    ? [resolve(directory, name)]
    : (environment.PATH ?? '').split(':').map((folder) => resolve(directory, folder, name));
  const verdicts = name === '' ? [] : candidates.map((path) => ({ path, problem: problemOf(path) }));
  const found = verdicts.find(({ problem }) => problem === undefined);
  if (found) return { path: found.path };
  const denied = verdicts.find(({ problem }) => problem !== 'ENOENT');
  if (denied) return { exitCode: NOT_EXECUTABLE, message: `exec: ${quoted}: permission denied` };
  const what = name.includes('/') ? 'no such file or directory' : 'executable file not found in $PATH';
  return { exitCode: NOT_FOUND, message: `exec: ${quoted}: ${what}` };
}

function problemOf(path: string): 'ENOENT' | 'EACCES' | undefined {
  try {
    if (!statSync(path).isFile()) return 'EACCES';
    accessSync(path, constants.X_OK);
    return undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' || code === 'ENOTDIR' ? 'ENOENT' : 'EACCES';
  }
}
