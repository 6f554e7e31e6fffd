import { expect, it } from 'vitest';
import { activityWords, isNews } from './activity-words.ts';

it.each([
  ['running', 'shop is running', 'is running'],
  ['running', 'shopping is running', 'shopping is running'],
  ['changed', 'shop: title changed', 'title changed'],
  ['event', 'Started: Started container web', 'Started container web'],
  ['changed', 'Careful: this stays', 'Careful: this stays'],
] as const)('%s: "%s" reads "%s" after the name', (kind, message, words) => {
  expect(activityWords({ kind, message, deployment: 'shop' })).toBe(words);
});

it('counts an event as news only when something is wrong', () => {
  expect(isNews({ kind: 'event', level: 'info' })).toBe(false);
  expect(isNews({ kind: 'event', level: 'warning' })).toBe(true);
  expect(isNews({ kind: 'stopped', level: 'info' })).toBe(true);
});
