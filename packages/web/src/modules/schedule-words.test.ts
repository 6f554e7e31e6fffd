import { expect, it } from 'vitest';
import { scheduleWords, whenWords } from './schedule-words.ts';

it.each([
  ['*/15 * * * *', 'every 15 minutes'],
  ['* * * * *', 'every minute'],
  ['5 * * * *', 'every hour at :05'],
  ['30 3 * * *', 'every day at 03:30'],
  ['0 */6 * * *', 'every 6 hours at :00'],
  ['0 9 * * 1-5', 'Monday to Friday at 09:00'],
  ['0 9 * * 7', 'every Sunday at 09:00'],
  ['@weekly', 'every Sunday at 00:00'],
  ['0 9 1 * *', '0 9 1 * *'],
  ['0 9-17 * * *', '0 9-17 * * *'],
  ['0 9 * * MON', '0 9 * * MON'],
  ['0,30 * * * *', '0,30 * * * *'],
])('%s is %s', (schedule, words) => {
  expect(scheduleWords(schedule)).toBe(words);
});

it('begins a sentence with when a job runs', () => {
  expect(whenWords({})).toBe('Before services start');
  expect(whenWords({ schedule: '*/5 * * * *' })).toBe('Every 5 minutes');
});
