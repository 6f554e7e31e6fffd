import { createReadStream } from 'node:fs';
import type { LogRequest } from '../../api/node-agent.ts';
import { type LogRecord, parseRecord } from './cri-format.ts';

export type LogSelection = Partial<Pick<LogRequest, 'tailLines' | 'sinceSeconds' | 'sinceTime' | 'limitBytes'>> & {
  timestamps: boolean;
  now: number;
  /** Read no further than this in the last file. */
  endOfLast?: number;
};

/** What a request selects of a log's files, as the bytes that go to the reader. */
export async function* readLog(files: string[], selection: LogSelection): AsyncIterable<Buffer> {
  const records = since(recordsOf(files, selection.endOfLast), selection);
  const selected = selection.tailLines === undefined ? records : last(records, selection.tailLines);
  yield* limit(print(selected, selection.timestamps), selection.limitBytes);
}

async function* recordsOf(files: string[], endOfLast: number | undefined): AsyncIterable<LogRecord> {
  for (const [index, file] of files.entries()) {
    const end = index === files.length - 1 ? endOfLast : undefined;
    if (end === 0) continue;
    for await (const line of linesOf(file, end)) {
      const record = parseRecord(line);
      if (record) yield record;
    }
  }
}

async function* linesOf(file: string, end: number | undefined): AsyncIterable<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of createReadStream(
    file,
    end === undefined ? {} : { end: end - 1 },
  ) as AsyncIterable<Buffer>) {
    let data: Buffer = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
    for (let newline = data.indexOf(10); newline >= 0; newline = data.indexOf(10)) {
      yield data.subarray(0, newline);
      data = data.subarray(newline + 1);
    }
    rest = data;
  }
}

async function* since(records: AsyncIterable<LogRecord>, selection: LogSelection): AsyncIterable<LogRecord> {
  const { sinceSeconds, sinceTime, now } = selection;
  const from = sinceTime ? Date.parse(sinceTime) : sinceSeconds === undefined ? 0 : now - sinceSeconds * 1000;
  for await (const record of records) if (Date.parse(record.time) >= from) yield record;
}

/** The records of the last so many lines; a line in parts is one. */
async function* last(records: AsyncIterable<LogRecord>, lines: number): AsyncIterable<LogRecord> {
  const kept: LogRecord[][] = [];
  let open = false;
  for await (const record of records) {
    if (open) kept.at(-1)?.push(record);
    else kept.push([record]);
    open = record.partial;
    if (kept.length > lines) kept.shift();
    if (lines === 0) open = false;
  }
  yield* kept.flat();
}

export async function* print(records: AsyncIterable<LogRecord>, timestamps: boolean): AsyncIterable<Buffer> {
  let open = false;
  for await (const record of records) {
    const stamp = timestamps && !open ? [Buffer.from(`${record.time} `)] : [];
    open = record.partial;
    yield Buffer.concat([...stamp, record.text, ...(open ? [] : [Buffer.from('\n')])]);
  }
}

async function* limit(parts: AsyncIterable<Buffer>, bytes: number | undefined): AsyncIterable<Buffer> {
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
