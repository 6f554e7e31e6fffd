import { expect, it } from 'vitest';
import { matchesSelector } from './label-selector.ts';

const labels = { app: 'shop', tier: 'web' };

it.each([
  ['nothing when absent', undefined, false],
  ['everything when empty', {}, true],
  ['equal labels', { matchLabels: { app: 'shop' } }, true],
  ['no other value', { matchLabels: { app: 'blog' } }, false],
  ['one of several values', { matchExpressions: [{ key: 'tier', operator: 'In', values: ['web', 'db'] }] }, true],
  ['a missing key by NotIn', { matchExpressions: [{ key: 'zone', operator: 'NotIn', values: ['a'] }] }, true],
  ['a present key', { matchExpressions: [{ key: 'app', operator: 'Exists' }] }, true],
  ['not a key that must be absent', { matchExpressions: [{ key: 'app', operator: 'DoesNotExist' }] }, false],
] as const)('a selector matches %s', (_name, selector, expected) => {
  expect(matchesSelector(selector as Parameters<typeof matchesSelector>[0], labels)).toBe(expected);
});
