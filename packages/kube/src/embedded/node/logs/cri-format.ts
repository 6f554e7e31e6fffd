/**
 * Log lines as container runtimes write them: `<time> stdout F <line>`, and `P` for a part of a line that is longer than 16 KiB.
 * Everything is bytes: output need not be text.
 */
export type LogStream = 'stdout' | 'stderr';

export const MAX_PART_BYTES = 16 * 1024;
const NEWLINE = 10;

export interface Framed {
  records: Buffer;
  /** Bytes of the input that are in the records; the rest is a line that has not ended yet. */
  consumed: number;
}

/** `flush` ends a last line that has no newline: its writer is gone. */
export function frameOutput(output: Buffer, as: { stream: LogStream; time: string; flush: boolean }): Framed {
  const heads = { F: Buffer.from(`${as.time} ${as.stream} F `), P: Buffer.from(`${as.time} ${as.stream} P `) };
  const records = Buffer.allocUnsafe(largestFrame(output, heads.F.length));
  let position = 0;
  let size = 0;
  const add = (tag: 'F' | 'P', end: number): void => {
    size += heads[tag].copy(records, size);
    size += output.copy(records, size, position, end);
    records[size] = NEWLINE;
    size += 1;
  };
  while (position < output.length) {
    const newline = output.indexOf(NEWLINE, position);
    const end = newline < 0 ? output.length : newline;
    if (end - position > MAX_PART_BYTES) {
      add('P', position + MAX_PART_BYTES);
      position += MAX_PART_BYTES;
    } else if (newline >= 0 || as.flush) {
      add('F', end);
      position = newline < 0 ? end : end + 1;
    } else {
      break;
    }
  }
  return { records: records.subarray(0, size), consumed: position };
}

/** One allocation for all: a program may write millions of short lines. */
function largestFrame(output: Buffer, headBytes: number): number {
  let lines = 1 + Math.ceil(output.length / MAX_PART_BYTES);
  for (let at = output.indexOf(NEWLINE); at >= 0; at = output.indexOf(NEWLINE, at + 1)) lines += 1;
  return output.length + lines * (headBytes + 1);
}

export interface LogRecord {
  time: string;
  partial: boolean;
  text: Buffer;
}

/** Undefined for a line that is no record, such as the half of one that a crash left. */
export function parseRecord(line: Buffer): LogRecord | undefined {
  const head = /^(\S+) (?:stdout|stderr) ([FP]) /.exec(line.toString('latin1', 0, 64));
  if (!head) return undefined;
  return { time: head[1] ?? '', partial: head[2] === 'P', text: line.subarray(head[0].length) };
}

/** RFC 3339 with nanoseconds, as Kubernetes writes them. */
export function logTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace('Z', '000000Z');
}
