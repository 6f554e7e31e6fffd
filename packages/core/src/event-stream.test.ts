import { describe, expect, it } from 'vitest';
import { eventStreamParser } from './event-stream.ts';

describe('eventStreamParser', () => {
  it('reads event, id and data, and skips comments', () => {
    const parse = eventStreamParser();
    expect(parse(': hello\n\nid: 7\nevent: removed\ndata: {"id":"a"}\n\n')).toEqual([
      { event: 'removed', data: '{"id":"a"}', id: '7' },
    ]);
  });

  it('gives the same messages however the text is cut', () => {
    const text = 'id: 1\r\nevent: a\r\ndata: one\r\ndata: two\r\n\r\nid: 2\rdata: x\r\r: c\n\ndata:y\n\n';
    const whole = eventStreamParser()(text);
    expect(whole.map((each) => each.data)).toEqual(['one\ntwo', 'x', 'y']);
    for (let cut = 1; cut < text.length; cut++) {
      const parse = eventStreamParser();
      expect([...parse(text.slice(0, cut)), ...parse(text.slice(cut))]).toEqual(whole);
    }
  });

  it('keeps the last id for messages without one', () => {
    const parse = eventStreamParser();
    expect(parse('id: 5\ndata: a\n\ndata: b\n\n').map((each) => each.id)).toEqual(['5', '5']);
  });
});
