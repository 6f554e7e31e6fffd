import { describe, expect, it } from 'vitest';
import { lineDiff, withoutFarLines } from './line-diff.ts';

const written = (before: string, after: string) =>
  lineDiff(before, after).map(({ kind, text }) => `${{ same: ' ', added: '+', removed: '-' }[kind]}${text}`);

describe('lineDiff', () => {
  it.each([
    ['one line changed', 'a\nb\nc', 'a\nB\nc', [' a', '-b', '+B', ' c']],
    ['a line added', 'a\nc', 'a\nb\nc', [' a', '+b', ' c']],
    ['a line removed', 'a\nb\nc', 'a\nc', [' a', '-b', ' c']],
    ['a line moved', 'a\nb\nc', 'b\nc\na', ['-a', ' b', ' c', '+a']],
    ['the same text', 'a\nb', 'a\nb', [' a', ' b']],
    ['a repeated line', 'a\na', 'a', [' a', '-a']],
    ['from nothing', '', 'a', ['-', '+a']],
  ])('shows %s', (_, before, after, expected) => {
    expect(written(before, after)).toEqual(expected);
  });

  it('gives either text back when the other side is left out', () => {
    const before = Array.from({ length: 60 }, (_, n) => `line ${n % 7}`).join('\n');
    const after = Array.from({ length: 50 }, (_, n) => `line ${n % 5}`).join('\n');
    const diff = lineDiff(before, after);
    const side = (kind: string) => diff.filter((each) => each.kind !== kind).map((each) => each.text);
    expect(side('added').join('\n')).toBe(before);
    expect(side('removed').join('\n')).toBe(after);
  });

  it('answers at once for texts of thousands of different lines', () => {
    const text = (word: string) => Array.from({ length: 20_000 }, (_, n) => `${word} ${n}`).join('\n');
    expect(lineDiff(text('a'), text('b'))).toHaveLength(40_000);
  });
});

describe('withoutFarLines', () => {
  it('keeps two lines around a change and counts the others', () => {
    const text = (word: string) => ['1', '2', '3', '4', word, '6', '7', '8'].join('\n');
    const kinds = withoutFarLines(lineDiff(text('a'), text('b'))).map((each) =>
      each.kind === 'skipped' ? each.count : each.text,
    );
    expect(kinds).toEqual([2, '3', '4', 'a', 'b', '6', '7', 1]);
  });

  it('shows a single line between two changes', () => {
    const diff = lineDiff('a\n1\n2\n3\n4\n5\nb', 'A\n1\n2\n3\n4\n5\nB');
    expect(withoutFarLines(diff).some((each) => each.kind === 'skipped')).toBe(false);
  });
});
