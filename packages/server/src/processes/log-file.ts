import { closeSync, copyFileSync, openSync, readSync, statSync, truncateSync } from 'node:fs';

const LARGEST_BYTES = 10 * 1024 * 1024;

/**
 * A log that another process writes through an inherited file descriptor. Not through a pipe: a child must be able to go on
 * writing, and to stop in order, after its supervisor was killed. Opened for appending, so that cutting the file under the
 * writer's feet lets it go on at the new end. Lines written between copy and cut are lost; one old file is kept.
 */
export interface LogFile {
  path: string;
  /** For `stdio`. */
  descriptor: number;
  rotateIfLarge(): void;
  close(): void;
}

export function openLogFile(path: string, largestBytes: number = LARGEST_BYTES): LogFile {
  const descriptor = openSync(path, 'a', 0o600);
  const log: LogFile = {
    path,
    descriptor,
    rotateIfLarge() {
      if (statSync(path).size <= largestBytes) return;
      copyFileSync(path, `${path}.1`);
      truncateSync(path);
    },
    close: () => closeSync(descriptor),
  };
  log.rotateIfLarge();
  return log;
}

/** The last lines, for a person who needs to know why something did not start. */
export function lastLines(path: string, count: number): string[] {
  const descriptor = openSync(path, 'r');
  try {
    const size = statSync(path).size;
    const buffer = Buffer.alloc(Math.min(size, 16 * 1024));
    readSync(descriptor, buffer, 0, buffer.length, size - buffer.length);
    return buffer.toString('utf8').trimEnd().split('\n').slice(-count);
  } finally {
    closeSync(descriptor);
  }
}
