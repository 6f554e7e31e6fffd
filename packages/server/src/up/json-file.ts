import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

/** Small JSON files of the data directory: whole or not there, for nobody else's eyes. */
export function writeJsonFile(path: string, value: unknown): void {
  const unfinished = `${path}.${process.pid}.new`;
  const descriptor = openSync(unfinished, 'w', 0o600);
  try {
    writeFileSync(descriptor, `${JSON.stringify(value, undefined, 2)}\n`);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(unfinished, path);
}

/** Undefined when it is not there or is no JSON: these files can all be made again. */
export function readJsonFile(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
