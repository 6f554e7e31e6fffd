import { expect, it } from 'vitest';
import { blocksOf } from './markdown.tsx';

it('reads paragraphs over lines, lists with their continuations, headings and code', () => {
  const text = 'One\ntwo\n\n## Use\n- a\n  more\n- b\n1. c\n```\n- not a list\n```\n';
  expect(blocksOf(text)).toEqual([
    { kind: 'paragraph', text: 'One two' },
    { kind: 'heading', text: 'Use' },
    { kind: 'list', ordered: false, items: ['a more', 'b'] },
    { kind: 'list', ordered: true, items: ['c'] },
    { kind: 'code', text: '- not a list' },
  ]);
});
