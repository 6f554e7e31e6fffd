// A tar archive (POSIX ustar, with pax records for what does not fit) out of the entries of a tree. Everything that a header could say of
// this machine or this moment is fixed.
import { createHash } from 'node:crypto';
import { contentOf, type Entry } from './tree.ts';

const BLOCK = 512;
const KINDS = { file: '0', link: '2', directory: '5', pax: 'x' };
const EPOCH_SECONDS = Date.UTC(2020, 0, 1) / 1000;
const NAME_BYTES = 100;

type Headed = Pick<Entry, 'path' | 'mode' | 'target'> & { kind: keyof typeof KINDS };

export function tarOf(entries: Entry[]): Buffer {
  return Buffer.concat([...entries.flatMap(blocksOf), Buffer.alloc(2 * BLOCK)]);
}

/** A header alone, for what is written without being held in memory. */
export function headerOf(path: string, size: number): Buffer {
  return header({ path, kind: 'file', mode: 0o644 }, { size, modified: EPOCH_SECONDS });
}

export function padding(size: number): Buffer {
  return Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);
}

function blocksOf(entry: Entry): Buffer[] {
  const content = entry.kind === 'file' ? contentOf(entry) : Buffer.alloc(0);
  const modified = entry.kind === 'file' ? modifiedOf(content) : EPOCH_SECONDS;
  return [...paxOf(entry), header(entry, { size: content.length, modified }), content, padding(content.length)];
}

/**
 * Web servers tell versions of a file apart by time and size. With one time for all, a browser would keep the page of the version
 * before, whose size is the same; so the time is made of the content.
 */
function modifiedOf(content: Buffer): number {
  return EPOCH_SECONDS + (createHash('sha256').update(content).digest().readUInt32BE(0) >>> 5);
}

function paxOf(entry: Entry): Buffer[] {
  const records = [
    ...(Buffer.byteLength(nameOf(entry)) > NAME_BYTES ? [paxRecord('path', nameOf(entry))] : []),
    ...(Buffer.byteLength(entry.target ?? '') > NAME_BYTES ? [paxRecord('linkpath', entry.target!)] : []),
  ];
  if (records.length === 0) return [];
  const content = Buffer.from(records.join(''));
  const pax: Headed = { path: 'pax', kind: 'pax', mode: 0o644 };
  return [header(pax, { size: content.length, modified: EPOCH_SECONDS }), content, padding(content.length)];
}

/** "LENGTH name=value\n", where the length counts its own digits too. */
function paxRecord(name: string, value: string): string {
  const rest = ` ${name}=${value}\n`;
  const bytes = Buffer.byteLength(rest);
  const length = [1, 2, 3, 4].map((digits) => bytes + digits).find((sum, index) => String(sum).length === index + 1);
  return `${length}${rest}`;
}

function nameOf({ path, kind }: Headed): string {
  return kind === 'directory' ? `${path}/` : path;
}

function header(entry: Headed, { size, modified }: { size: number; modified: number }): Buffer {
  const block = Buffer.alloc(BLOCK);
  const octal = (value: number, at: number, length: number) =>
    block.write(`${value.toString(8).padStart(length - 1, '0')}\0`, at);
  block.write(nameOf(entry).slice(0, NAME_BYTES), 0, NAME_BYTES);
  octal(entry.mode, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(size, 124, 12);
  octal(modified, 136, 12);
  block.write(' '.repeat(8), 148);
  block.write(KINDS[entry.kind], 156);
  block.write((entry.target ?? '').slice(0, NAME_BYTES), 157, NAME_BYTES);
  block.write('ustar\x0000', 257);
  octal(
    block.reduce((sum, byte) => sum + byte, 0),
    148,
    7,
  );
  return block;
}
