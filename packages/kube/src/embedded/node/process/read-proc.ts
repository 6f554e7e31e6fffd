import { closeSync, openSync, readSync } from 'node:fs';

/** One read fills it: what is asked of /proc here is shorter. */
const SCRATCH = Buffer.allocUnsafe(8192);

/** A short file of /proc, with as few system calls as can be; undefined when its process is gone or not ours to read. */
export function readProc(path: string): string | undefined {
  let file: number | undefined;
  try {
    file = openSync(path, 'r');
    return SCRATCH.toString('latin1', 0, readSync(file, SCRATCH, 0, SCRATCH.length, null));
  } catch {
    // It has ended since it was listed, or is another user's.
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
