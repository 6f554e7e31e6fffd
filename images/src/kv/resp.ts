/**
 * RESP2, the protocol of Redis. Everything is bytes: a text here has one character a byte (`latin1`), which keeps any content
 * and makes keys of maps. A request is an array of bulk strings, or one line of words as people type it (inline).
 */
export class ProtocolError extends Error {}

export type Reply = Simple | Failure | number | string | undefined | Reply[];
export interface Simple {
  simple: string;
}
export interface Failure {
  failure: string;
}

export const OK: Simple = { simple: 'OK' };

export function failure(text: string): Failure {
  return { failure: text };
}

export function isFailure(reply: Reply): reply is Failure {
  return typeof reply === 'object' && !Array.isArray(reply) && 'failure' in reply;
}

export function encodeReply(reply: Reply): string {
  if (reply === undefined) return '$-1\r\n';
  if (typeof reply === 'number') return `:${reply}\r\n`;
  if (typeof reply === 'string') return `$${reply.length}\r\n${reply}\r\n`;
  if (Array.isArray(reply)) return `*${reply.length}\r\n${reply.map(encodeReply).join('')}`;
  return 'simple' in reply ? `+${reply.simple}\r\n` : `-${reply.failure.replace(/[\r\n]+/g, ' ')}\r\n`;
}

export function encodeCommand(words: readonly string[]): string {
  return encodeReply([...words]);
}

const MAX_WORDS = 1024 * 1024;
const MAX_WORD_BYTES = 64 * 1024 * 1024;
const MAX_LINE_BYTES = 64 * 1024;

export interface RequestReader {
  /** Takes bytes in, gives the requests that are complete. Throws a ProtocolError, after which nothing can be read. */
  read(chunk: Buffer): string[][];
  /** How many bytes the complete requests had, from the beginning. */
  consumed(): number;
}

export function createRequestReader(): RequestReader {
  let buffer: Buffer = Buffer.alloc(0);
  let consumed = 0;
  return {
    read(chunk) {
      buffer = buffer.length > 0 ? Buffer.concat([buffer, chunk]) : chunk;
      const requests: string[][] = [];
      let position = 0;
      for (;;) {
        const found = readRequest(buffer, position);
        if (!found) break;
        consumed += found.next - position;
        position = found.next;
        if (found.words.length > 0) requests.push(found.words);
      }
      buffer = buffer.subarray(position);
      return requests;
    },
    consumed: () => consumed,
  };
}

function readRequest(buffer: Buffer, start: number): { words: string[]; next: number } | undefined {
  if (start >= buffer.length) return undefined;
  const line = readLine(buffer, start);
  if (!line) return undefined;
  if (buffer[start] !== 0x2a) return { words: splitWords(line.text), next: line.next };
  const count = readNumber(line.text.slice(1), MAX_WORDS, 'invalid multibulk length');
  const words: string[] = [];
  let position = line.next;
  for (let index = 0; index < count; index++) {
    const header = readLine(buffer, position);
    if (!header) return undefined;
    if (!header.text.startsWith('$')) throw new ProtocolError(`expected '$', got '${header.text.charAt(0)}'`);
    const length = readNumber(header.text.slice(1), MAX_WORD_BYTES, 'invalid bulk length');
    const end = header.next + length;
    if (end + 2 > buffer.length) return undefined;
    words.push(buffer.toString('latin1', header.next, end));
    position = end + 2;
  }
  return { words, next: position };
}

function readLine(buffer: Buffer, start: number): { text: string; next: number } | undefined {
  const end = buffer.indexOf(0x0a, start);
  if (end < 0) {
    if (buffer.length - start > MAX_LINE_BYTES) throw new ProtocolError('too big inline request');
    return undefined;
  }
  const text = buffer.toString('latin1', start, end);
  return { text: text.endsWith('\r') ? text.slice(0, -1) : text, next: end + 1 };
}

function readNumber(text: string, most: number, problem: string): number {
  const number = /^-?\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!(number <= most)) throw new ProtocolError(problem);
  return Math.max(0, number);
}

const WORD = /"((?:[^"\\]|\\.)*)"(?=\s|$)|'((?:[^'\\]|\\')*)'(?=\s|$)|(\S+)/g;
const ESCAPES: Record<string, string> = { n: '\n', r: '\r', t: '\t', b: '\b', a: '\x07' };

/** Words of a line, with "double" and 'single' quotes as in redis-cli. */
export function splitWords(line: string): string[] {
  return [...line.matchAll(WORD)].map(([, double, single, plain]) => {
    if (double !== undefined)
      return double.replace(/\\(?:x([0-9a-f]{2})|(.))/gi, (_whole, hex?: string, character = '') =>
        hex === undefined ? (ESCAPES[character] ?? character) : String.fromCharCode(Number.parseInt(hex, 16)),
      );
    if (single !== undefined) return single.replaceAll("\\'", "'");
    if (plain?.startsWith('"') || plain?.startsWith("'")) throw new ProtocolError('unbalanced quotes in request');
    return plain ?? '';
  });
}
