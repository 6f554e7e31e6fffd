import { describe, expect, it } from 'vitest';
import { activityWords, isNews, withoutEchoes } from './activity-words.ts';

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

describe('entries that say the same', () => {
  const entry = (message: string, service = 'web') => ({
    kind: 'event' as const,
    message,
    deployment: 'shop',
    service,
  });

  it('are told once', () => {
    const list = [entry('ErrImagePull: no such image'), entry('Failed: no such image'), entry('Started: Started web')];
    expect(withoutEchoes(list)).toEqual([list[0], list[2]]);
  });

  it('stay when they are of another service', () => {
    expect(withoutEchoes([entry('Failed: gone'), entry('Failed: gone', 'db')])).toHaveLength(2);
  });
});
