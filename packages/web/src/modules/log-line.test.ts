import type { LogEvent } from '@berth/core/log-event';
import { describe, expect, it } from 'vitest';
import { appendLines, EMPTY_BUFFER, findAll, LINES_KEPT, timeOfLine } from './log-line.ts';

const line = (second: number, text = `line ${second}`): Extract<LogEvent, { type: 'line' }> => ({
  type: 'line',
  at: `2026-01-01T00:00:${String(second).padStart(2, '0')}.000Z`,
  service: 'web',
  pod: 'web-1',
  text,
});

describe('a log in memory', () => {
  it('keeps a bounded number, and knows how many went', () => {
    const many = Array.from({ length: LINES_KEPT + 10 }, (_, index) => line(1, String(index)));
    const buffer = appendLines(EMPTY_BUFFER, many);
    expect(buffer.lines).toHaveLength(LINES_KEPT);
    expect(buffer.dropped).toBe(10);
    expect(buffer.lines[0]).toMatchObject({ key: 10, text: '10' });
    expect(appendLines(buffer, [line(2)]).lines.at(-1)?.key).toBe(LINES_KEPT + 10);
  });

  it('names each line, also several of one instant', () => {
    const { lines } = appendLines(appendLines(EMPTY_BUFFER, [line(1), line(1)]), [line(1), line(2)]);
    expect(lines.map(({ id }) => id)).toEqual([
      '2026-01-01T00:00:01.000Z',
      '2026-01-01T00:00:01.000Z~1',
      '2026-01-01T00:00:01.000Z~2',
      '2026-01-01T00:00:02.000Z',
    ]);
    expect(timeOfLine(lines[1]?.id ?? '')?.toISOString()).toBe('2026-01-01T00:00:01.000Z');
    expect(timeOfLine('nonsense')).toBeUndefined();
  });

  it("drops a terminal's colours", () => {
    expect(appendLines(EMPTY_BUFFER, [line(1, '\u001b[31mred\u001b[0m')]).lines[0]?.text).toBe('red');
  });
});

describe('findAll', () => {
  it('finds every place, whatever the case', () =>
    expect(findAll('aXax', 'x')).toEqual([
      [1, 2],
      [3, 4],
    ]));
  it('finds nothing for nothing', () => expect(findAll('abc', '')).toEqual([]));
});
