import {
  appendFileSync,
  closeSync,
  existsSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../../client/clock.ts';
import { readJson } from '../read-json.ts';
import { frameOutput, type LogStream, logTime } from './cri-format.ts';

/**
 * Moves a container's output into its log.
 *
 *     container ──append──> stdout.raw, stderr.raw ──frame──> logs/<attempt>.log ──full──> logs/<attempt>.log.<n>
 *
 * The container writes to plain files, so that it neither blocks nor breaks when no node runs. How far a file has been read
 * is on disk; after a crash at the worst the last lines are there twice. A raw file is emptied once it is large and read
 * to its end: a line written in the very microsecond between the look and the cut would be lost, which is the price of files
 * over pipes.
 *
 * A program that writes faster than its output can be moved neither holds up the node nor fills the disk: each look has its time, and
 * once too much is waiting the older part of it is dropped, which the log then says.
 */
export interface ContainerLog {
  /** Moves what has been written since. `flush` once the container has ended: a last line needs no newline then. */
  pump(attempt: number, flush: boolean): void;
  /** The files of an attempt, oldest first. */
  files(attempt: number): string[];
  /** The file that is appended to, there or not. */
  currentFile(attempt: number): string;
}

export interface LogLimits {
  maxBytes: number;
  maxFiles: number;
}

export const LOG_LIMITS: LogLimits = { maxBytes: 10 * 2 ** 20, maxFiles: 5 };
const READ_BYTES = 64 * 1024;
const EMPTY_RAW_ABOVE_BYTES = 4 * 2 ** 20;
/** Emptied even if something was written meanwhile. */
const EMPTY_RAW_ANYWAY_BYTES = 16 * 2 ** 20;
const MOST_WAITING_BYTES = 32 * 2 ** 20;
const KEPT_OF_WAITING_BYTES = 2 ** 20;
const MOST_MS_A_LOOK = 20;
const STREAMS: LogStream[] = ['stdout', 'stderr'];

export function createContainerLog(directory: string, clock: Clock, limits: LogLimits): ContainerLog {
  const logs = join(directory, 'logs');
  const offsetsFile = join(directory, 'offsets.json');
  const offsets = readOffsets(offsetsFile);

  function append(attempt: number, records: Buffer): void {
    const file = join(logs, `${attempt}.log`);
    if (!existsSync(file)) prepare(attempt);
    else if (statSync(file).size >= limits.maxBytes) rotate(file);
    appendFileSync(file, records, { mode: 0o600 });
  }

  function rotate(file: string): void {
    for (let number = limits.maxFiles - 1; number >= 1; number--) {
      const from = number === 1 ? file : `${file}.${number - 1}`;
      if (existsSync(from)) renameSync(from, `${file}.${number}`);
    }
  }

  /** `--previous` reaches one attempt back; older ones would only fill the disk. */
  function prepare(attempt: number): void {
    // Here and not once: somebody may have removed it since.
    mkdirSync(logs, { recursive: true });
    for (const name of readdirSync(logs)) {
      if (Number.parseInt(name, 10) < attempt - 1) rmSync(join(logs, name));
    }
  }

  function pumpStream(attempt: number, stream: LogStream, flush: boolean): void {
    const raw = join(directory, `${stream}.raw`);
    if (!existsSync(raw)) return;
    const handle = openSync(raw, 'r+');
    try {
      const before = offsets[stream];
      const size = fstatSync(handle).size;
      // Somebody else emptied the file: begin again.
      if (size < before) offsets[stream] = 0;
      if (size - offsets[stream] > MOST_WAITING_BYTES) {
        drop(attempt, stream, size - KEPT_OF_WAITING_BYTES - offsets[stream]);
        offsets[stream] = size - KEPT_OF_WAITING_BYTES;
      }
      moveOn(attempt, handle, { stream, flush });
      empty(attempt, handle, stream);
      if (offsets[stream] !== before) writeOffsets(offsetsFile, offsets);
    } finally {
      closeSync(handle);
    }
  }

  function moveOn(attempt: number, handle: number, { stream, flush }: { stream: LogStream; flush: boolean }): void {
    const until = clock.monotonic() + MOST_MS_A_LOOK;
    const buffer = Buffer.allocUnsafe(READ_BYTES);
    // At the end there is no next look, and nobody writes any more.
    while (flush || clock.monotonic() <= until) {
      const size = readSync(handle, buffer, 0, READ_BYTES, offsets[stream]);
      const last = size < READ_BYTES;
      const output = buffer.subarray(0, size);
      const { records, consumed } = frameOutput(output, { stream, time: logTime(clock.now()), flush: flush && last });
      if (records.length > 0) append(attempt, records);
      offsets[stream] += consumed;
      if (last) return;
    }
  }

  function empty(attempt: number, handle: number, stream: LogStream): void {
    const waiting = fstatSync(handle).size - offsets[stream];
    if (offsets[stream] <= (waiting === 0 ? EMPTY_RAW_ABOVE_BYTES : EMPTY_RAW_ANYWAY_BYTES)) return;
    if (waiting > 0) drop(attempt, stream, waiting);
    ftruncateSync(handle, 0);
    offsets[stream] = 0;
  }

  function drop(attempt: number, stream: LogStream, bytes: number): void {
    const line = Buffer.from(`[${bytes} bytes of output are missing here: they came faster than they could be kept]\n`);
    append(attempt, frameOutput(line, { stream, time: logTime(clock.now()), flush: true }).records);
  }

  return {
    pump(attempt, flush) {
      for (const stream of STREAMS) pumpStream(attempt, stream, flush);
    },
    files(attempt) {
      const file = join(logs, `${attempt}.log`);
      const rotated = Array.from({ length: limits.maxFiles }, (_, index) => `${file}.${limits.maxFiles - index}`);
      return [...rotated, file].filter((one) => existsSync(one));
    },
    currentFile: (attempt) => join(logs, `${attempt}.log`),
  };
}

/** Without it the output is read from the start again: lines twice rather than none. */
function readOffsets(file: string): Record<LogStream, number> {
  const known = readJson(file) as Partial<Record<LogStream, unknown>> | undefined;
  const offset = (stream: LogStream): number => {
    const value = known?.[stream];
    return typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : 0;
  };
  return { stdout: offset('stdout'), stderr: offset('stderr') };
}

function writeOffsets(file: string, offsets: Record<LogStream, number>): void {
  writeFileSync(`${file}.new`, JSON.stringify(offsets), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
