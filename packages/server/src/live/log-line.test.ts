import { describe, expect, it } from 'vitest';
import { linesOf, parseLogLine } from './log-line.ts';

async function linesFrom(...parts: Uint8Array[]): Promise<string[]> {
  async function* pieces() {
    yield* parts;
  }
  const lines: string[] = [];
  for await (const each of linesOf(pieces())) lines.push(each);
  return lines;
}
const bytes = (text: string) => new TextEncoder().encode(text);

describe('a log line', () => {
  it.each([
    ['2026-01-01T00:00:00.123456789Z hello world', '2026-01-01T00:00:00.123456789Z', 'hello world'],
    ['2026-01-01T00:00:00Z ', '2026-01-01T00:00:00Z', ''],
    ['2026-01-01T00:00:00Z  two spaces', '2026-01-01T00:00:00Z', ' two spaces'],
    ['no stamp', '', 'no stamp'],
  ])('is read: %s', (text, at, rest) => {
    expect(parseLogLine(text)).toEqual({ at, text: rest });
  });

  it('is cut when it has no end', () => {
    expect(parseLogLine('x'.repeat(20_000)).text).toContain('20000 characters');
  });

  it('is whole when its bytes come in pieces, in the middle of a character too', async () => {
    const whole = bytes('one 🦭\ntwo\nend');
    expect(await linesFrom(...[...whole].map((byte) => Uint8Array.of(byte)))).toEqual(['one 🦭', 'two', 'end']);
  });

  it('is one line however long it is, and the next is whole', async () => {
    const long = bytes('x'.repeat(50_000));
    const lines = await linesFrom(bytes('first\n'), long, long, long, bytes('tail of it\nnext\n'));
    expect(lines.map((line) => line.slice(0, 5))).toEqual(['first', 'xxxxx', 'next']);
  });
});
