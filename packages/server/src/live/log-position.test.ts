import { describe, expect, it } from 'vitest';
import type { LogLine } from './log-line.ts';
import { createLogCursor, createToldPositions, decodePositions, podKey, sortableTime } from './log-position.ts';

const line = (second: number, text = ''): LogLine => ({ at: `2026-01-01T00:00:0${second}Z`, text });

describe('the position in a log', () => {
  it('knows lines that come again after a new start, also several of one instant', () => {
    const cursor = createLogCursor();
    const told = (lines: LogLine[]) => lines.filter((each) => cursor.take(each)).map(({ text }) => text);
    cursor.restart();
    expect(told([line(1, 'a'), line(2, 'b'), line(2, 'c')])).toEqual(['a', 'b', 'c']);
    expect(cursor.since()).toBe('2026-01-01T00:00:02.000000000Z');
    cursor.restart();
    expect(told([line(1, 'a'), line(2, 'b'), line(2, 'c'), line(2, 'd'), line(3, 'e')])).toEqual(['d', 'e']);
    cursor.restart();
    expect(told([line(3, 'e')])).toEqual([]);
  });

  it('is the same after it was written and read', () => {
    const told = createToldPositions();
    const mark = { time: '2026-11-30T06:32:16.020406080Z', lines: 40 };
    told.set('web-1', mark);
    told.set('db-1', { time: '2026-01-01T00:00:00.000000000Z', lines: 0 });
    told.set('gone-1', mark);
    told.forget('gone-1');
    const id = told.id();
    expect(id).toMatch(/^[a-z0-9.~]{1,70}$/);
    const read = decodePositions(id);
    expect(read?.get(podKey('web-1'))).toEqual(mark);
    expect(read?.get(podKey('db-1'))).toEqual({ time: '2026-01-01T00:00:00.000000000Z', lines: 0 });
    expect(read?.size).toBe(2);
  });

  it.each(['', '7', 'abcdefg.1.2', 'abcdefg.1.zzzzzz.1', `${'a'.repeat(7)}.1.1.1~`])(
    'is nothing when it is not ours: %s',
    (text) => expect(decodePositions(text)).toBeUndefined(),
  );

  it.each([
    ['2026-01-01T00:00:00.1Z', '2026-01-01T00:00:00.12Z'],
    ['2026-01-01T00:00:00Z', '2026-01-01T00:00:00.000000001Z'],
    ['2026-01-01T02:00:00+02:00', '2026-01-01T00:00:01Z'],
  ])('orders times as they are: %s before %s', (first, second) => {
    expect((sortableTime(first) ?? '') < (sortableTime(second) ?? '')).toBe(true);
  });
});
