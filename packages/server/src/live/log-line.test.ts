import { describe, expect, it } from 'vitest';
import { createLogPosition, type LogLine, linesOf, parseLogLine } from './log-line.ts';

const line = (at: string, text = ''): LogLine => ({ at, pod: 'p', text });

describe('a log line', () => {
  it.each([
    ['2026-01-01T00:00:00.123456789Z hello world', '2026-01-01T00:00:00.123456789Z', 'hello world'],
    ['2026-01-01T00:00:00Z ', '2026-01-01T00:00:00Z', ''],
    ['2026-01-01T00:00:00Z  two spaces', '2026-01-01T00:00:00Z', ' two spaces'],
    ['no stamp', '', 'no stamp'],
  ])('is read: %s', (text, at, rest) => {
    expect(parseLogLine('p', text)).toEqual({ at, pod: 'p', text: rest });
  });

  it('is cut when it has no end', () => {
    expect(parseLogLine('p', 'x'.repeat(20_000)).text).toContain('20000 characters');
  });

  it('is whole when its bytes come in pieces, in the middle of a character too', async () => {
    const bytes = new TextEncoder().encode('one 🦭\ntwo\nend');
    async function* pieces() {
      for (const byte of bytes) yield Uint8Array.of(byte);
    }
    const lines: string[] = [];
    for await (const each of linesOf(pieces())) lines.push(each);
    expect(lines).toEqual(['one 🦭', 'two', 'end']);
  });
});

describe('the position in a log', () => {
  it('knows lines that come again after a new start, also several of one instant', () => {
    const position = createLogPosition();
    const told = (lines: LogLine[]) => lines.filter((each) => position.isNew(each)).map(({ text }) => text);
    position.restart();
    expect(told([line('1', 'a'), line('2', 'b'), line('2', 'c')])).toEqual(['a', 'b', 'c']);
    expect(position.since()).toBe('2');
    position.restart();
    expect(told([line('1', 'a'), line('2', 'b'), line('2', 'c'), line('2', 'd'), line('3', 'e')])).toEqual(['d', 'e']);
    position.restart();
    expect(told([line('3', 'e')])).toEqual([]);
  });
});
