import { describe, expect, it } from 'vitest';
import { appendLines, findAll, LINES_KEPT, type LogLine, levelOf, toLogLine, withoutRepeats } from './log-line.ts';

const line = (second: number, text = `line ${second}`): LogLine => ({
  at: `2026-01-01T00:00:${String(second).padStart(2, '0')}.000Z`,
  pod: 'web-1',
  text,
  level: 'other',
});

describe('levelOf', () => {
  it.each([
    ['ERROR password authentication failed', 'error'],
    ['2026-01-01 [warn] slow', 'warn'],
    ['{"level":50,"msg":"x"}', 'error'],
    ['{"level":"warn","msg":"error count 0"}', 'warn'],
    ['INFO 0 errors, no error at all', 'other'],
    ['GET /errors 200', 'other'],
  ])('%s is %s', (text, level) => expect(levelOf(text)).toBe(level));
});

describe('withoutRepeats', () => {
  it('lets nothing through twice when the tail comes again after a reconnect', () => {
    const isNew = withoutRepeats([line(1), line(2), line(3)]);
    expect([line(2), line(3), line(4)].filter(isNew)).toEqual([line(4)]);
  });

  it('keeps equal lines of one instant apart', () => {
    const isNew = withoutRepeats([line(1, ''), line(1, '')]);
    expect([line(1, ''), line(1, ''), line(1, '')].filter(isNew)).toHaveLength(1);
  });
});

describe('appendLines', () => {
  it('keeps a bounded number', () => {
    const many = Array.from({ length: LINES_KEPT + 10 }, (_, index) => line(1, String(index)));
    expect(appendLines([], many)).toHaveLength(LINES_KEPT);
  });
});

describe('toLogLine', () => {
  it("drops a terminal's colours", () => {
    expect(toLogLine({ type: 'line', at: '', service: '', pod: '', text: '\u001b[31mred\u001b[0m' }).text).toBe('red');
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
