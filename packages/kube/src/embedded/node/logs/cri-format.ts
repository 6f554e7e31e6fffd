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
  const records: Buffer[] = [];
  let position = 0;
  while (position < output.length) {
    const newline = output.indexOf(NEWLINE, position);
    const end = newline < 0 ? output.length : newline;
    if (end - position > MAX_PART_BYTES) {
      records.push(logRecord(as, 'P', output.subarray(position, position + MAX_PART_BYTES)));
      position += MAX_PART_BYTES;
    } else if (newline >= 0 || as.flush) {
      records.push(logRecord(as, 'F', output.subarray(position, end)));
      position = newline < 0 ? end : end + 1;
    } else {
      break;
    }
  }
  return { records: Buffer.concat(records), consumed: position };
}

function logRecord(as: { stream: LogStream; time: string }, tag: 'F' | 'P', text: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${as.time} ${as.stream} ${tag} `), text, Buffer.from([NEWLINE])]);
}

export interface LogRecord {
  time: string;
  partial: boolean;
  text: Buffer;
}

/** Undefined for a line that is no record, such as the half of one that a crash left. */
export function parseRecord(line: Buffer): LogRecord | undefined {
  const head = /^(\S+) (?:stdout|stderr) ([FP]) /.exec(line.subarray(0, 64).toString('latin1'));
  if (!head) return undefined;
  return { time: head[1] ?? '', partial: head[2] === 'P', text: line.subarray(head[0].length) };
}

/** RFC 3339 with nanoseconds, as Kubernetes writes them. */
export function logTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace('Z', '000000Z');
}
