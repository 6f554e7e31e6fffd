import { type FileHandle, open, stat } from 'node:fs/promises';
import type { Clock } from '../../../client/clock.ts';
import { delay } from '../../../client/clock.ts';
import { type LogBatches, splitRecords } from './read-log.ts';

const CHUNK_BYTES = 64 * 1024;

export interface FollowOptions {
  file: string;
  /** Where the reader has got to; undefined when the file was not there yet. */
  from: FileHandle | undefined;
  offset: number;
  /** False once nothing will be appended any more. */
  isLive: () => boolean;
  pollMs: number;
  clock: Clock;
  signal: AbortSignal;
}

/** New records as they are appended, over rotations, until the container has ended or the reader has gone. */
export async function* followLog(options: FollowOptions): LogBatches {
  let handle = options.from;
  let offset = options.offset;
  let rest: Buffer = Buffer.alloc(0);
  try {
    while (!options.signal.aborted) {
      // Asked before reading: what was appended before the end is read after it.
      const live = options.isLive();
      handle ??= await open(options.file, 'r').catch(() => undefined);
      const chunk = handle ? await readAt(handle, offset) : Buffer.alloc(0);
      offset += chunk.length;
      const { records, left } = splitRecords(Buffer.concat([rest, chunk]));
      rest = left;
      if (records.length > 0) yield records;
      if (chunk.length > 0) continue;
      if (handle && (await isRotated(handle, options.file))) {
        await handle.close();
        handle = undefined;
        offset = 0;
      } else if (!live) {
        return;
      } else {
        await delay(options.clock, options.pollMs, options.signal);
      }
    }
  } finally {
    await handle?.close();
  }
}

async function readAt(handle: FileHandle, offset: number): Promise<Buffer> {
  const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(CHUNK_BYTES), 0, CHUNK_BYTES, offset);
  return buffer.subarray(0, bytesRead);
}

async function isRotated(handle: FileHandle, file: string): Promise<boolean> {
  const [mine, current] = await Promise.all([handle.stat(), stat(file).catch(() => undefined)]);
  return current !== undefined && current.ino !== mine.ino;
}
