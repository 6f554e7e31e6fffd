import { expect, it } from 'vitest';
import { bestGroupsFirst, bestMatches, matchScore, wordsFound } from './palette-search.ts';

it('wants every word, and likes the start of the text best', () => {
  expect(matchScore('stop gue', 'Stop guestbook')).toBeGreaterThan(0);
  expect(matchScore('stop docs', 'Stop guestbook')).toBe(0);
  expect(matchScore('c++ (', 'C++ (new)')).toBeGreaterThan(0);
  const items = ['reload api', 'my api', 'api'].map((label) => ({ id: label, label }));
  expect(bestMatches(items, 'api', 2).map((each) => each.label)).toEqual(['api', 'reload api']);
});

it('prefers the start of a word to its middle, and a label to other words', () => {
  expect(matchScore('api', 'shop-api')).toBeGreaterThan(matchScore('api', 'rapid'));
  expect(matchScore('term', 'Shell of web', 'terminal exec')).toBe(2);
});

it('takes a whole name before one that begins with it', () => {
  const items = ['History of shop-2', 'History of shop'].map((label) => ({ id: label, label }));
  expect(bestMatches(items, 'history shop', 2)[0]?.label).toBe('History of shop');
});

it('counts the words that a text has', () => {
  expect(wordsFound('logs checkout', 'checkout')).toBe(1);
  expect(wordsFound('', 'checkout')).toBe(0);
});

it('finds among tens of thousands while one types', () => {
  const items = Array.from({ length: 20_000 }, (_, n) => ({ id: String(n), label: `Restart app-${n}` }));
  const before = performance.now();
  expect(bestMatches(items, 'restart 19999', 7).map((each) => each.id)).toEqual(['19999']);
  expect(performance.now() - before).toBeLessThan(500);
});

it('puts the group first whose best entry has most of the words, so that Enter does what was typed', () => {
  const group = (name: string) => ({ entries: [{ id: name, label: name }] });
  const first = (query: string) => bestGroupsFirst([group('shop'), group('Logs of shop')], query)[0]?.entries[0]?.label;
  expect(first('shop lo')).toBe('Logs of shop');
  expect(first('shop')).toBe('shop');
  expect(first('')).toBe('shop');
});
