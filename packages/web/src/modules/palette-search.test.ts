import { expect, it } from 'vitest';
import { bestMatches, matchScore } from './palette-search.ts';

it('wants every word, and likes the start of the text best', () => {
  expect(matchScore('stop gue', 'Stop guestbook')).toBeGreaterThan(0);
  expect(matchScore('stop docs', 'Stop guestbook')).toBe(0);
  expect(matchScore('c++ (', 'C++ (new)')).toBeGreaterThan(0);
  const items = ['reload api', 'my api', 'api'].map((label) => ({ id: label, label }));
  expect(bestMatches(items, 'api', 2).map((each) => each.label)).toEqual(['api', 'reload api']);
});
