import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { blocksOf, Markdown } from './markdown.tsx';

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

it('shows emphasis, strong words and code, and leaves a lone star alone', () => {
  const html = renderToStaticMarkup(
    createElement(Markdown, { text: '*Check now*, **not** later: `user:*`, 2 * 3 * 4' }),
  );
  expect(html).toContain('<em>Check now</em>, <strong>not</strong> later: <code>user:*</code>, 2 * 3 * 4');
});
