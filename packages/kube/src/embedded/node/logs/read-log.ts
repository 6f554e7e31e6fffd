import { createReadStream } from 'node:fs';
import type { LogRequest } from '../../api/node-agent.ts';
import { type LogRecord, parseRecord } from './cri-format.ts';

export type LogSelection = Partial<Pick<LogRequest, 'tailLines' | 'sinceSeconds' | 'sinceTime'>> & {
  timestamps: boolean;
  now: number;
  /** Read no further than this in the last file. */
  endOfLast?: number;
};

/** Records travel by the batch, as they come from a file: a log may have millions. */
export type LogBatches = AsyncIterable<LogRecord[]>;

const NEWLINE = 10;

/** What a request selects of a log's files, as the bytes that go to the reader. */
export async function* readLog(files: string[], selection: LogSelection): AsyncIterable<Buffer> {
  const records = since(recordsOf(files, selection.endOfLast), selection);
  const selected = selection.tailLines === undefined ? records : last(records, selection.tailLines);
  yield* print(selected, selection.timestamps);
}

async function* recordsOf(files: string[], endOfLast: number | undefined): LogBatches {
  for (const [index, file] of files.entries()) {
    const end = index === files.length - 1 ? endOfLast : undefined;
    if (end === 0) continue;
    let rest: Buffer = Buffer.alloc(0);
    const options = end === undefined ? {} : { end: end - 1 };
    for await (const chunk of createReadStream(file, options) as AsyncIterable<Buffer>) {
      const { records, left } = splitRecords(rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk);
      rest = left;
      yield records;
    }
  }
}

/** The records that are whole; what follows them waits for its end. */
export function splitRecords(data: Buffer): { records: LogRecord[]; left: Buffer } {
  const records: LogRecord[] = [];
  let start = 0;
  for (let end = data.indexOf(NEWLINE); end >= 0; end = data.indexOf(NEWLINE, start)) {
    const record = parseRecord(data.subarray(start, end));
    if (record) records.push(record);
    start = end + 1;
  }
  return { records, left: data.subarray(start) };
}

async function* since(batches: LogBatches, { sinceSeconds, sinceTime, now }: LogSelection): LogBatches {
  if (sinceTime === undefined && sinceSeconds === undefined) return yield* batches;
  const from = sinceTime ? Date.parse(sinceTime) : now - (sinceSeconds ?? 0) * 1000;
  for await (const batch of batches) yield batch.filter(({ time }) => Date.parse(time) >= from);
}

/** The records of the last so many lines; a line in parts is one. */
async function* last(batches: LogBatches, lines: number): LogBatches {
  let kept: LogRecord[][] = [];
  let open = false;
  for await (const batch of batches) {
    for (const record of batch) {
      if (open) kept.at(-1)?.push(record);
      else kept.push([record]);
      open = record.partial;
    }
    // Once a batch, since taking the first of a long list away is slow. A line that goes on is the last of all.
    if (kept.length > lines) kept = lines === 0 ? [] : kept.slice(-lines);
    if (lines === 0) open = false;
  }
  yield kept.flat();
}

export async function* print(batches: LogBatches, timestamps: boolean): AsyncIterable<Buffer> {
  let open = false;
  for await (const batch of batches) {
    const parts: Buffer[] = [];
    for (const { time, partial, text } of batch) {
      if (timestamps && !open) parts.push(Buffer.from(`${time} `));
      open = partial;
      parts.push(text);
      if (!open) parts.push(LINE_END);
    }
    if (parts.length > 0) yield Buffer.concat(parts);
  }
}

const LINE_END = Buffer.from('\n');

/** A limit that falls into a piece cuts it. */
export async function* limit(parts: AsyncIterable<Buffer>, bytes: number | undefined): AsyncIterable<Buffer> {
  if (bytes === undefined) return yield* parts;
  let left = bytes;
  for await (const part of parts) {
    if (part.length >= left) {
      yield part.subarray(0, left);
      return;
    }
    yield part;
    left -= part.length;
  }
}
