import { expect, it } from 'vitest';
import { scheduleProblem } from './cron.ts';

it.each(['*/15 * * * *', '0 5 1,15 * mon-fri', '@daily', '5-50/5 0-23 ? JAN 0', ' 0 0 * * * '])(
  'takes %s',
  (schedule) => {
    expect(scheduleProblem(schedule)).toBeUndefined();
  },
);

it.each([
  ['61 * * * *', '"61" is no minute'],
  ['* 24 * * *', '"24" is no hour'],
  ['0 0 * * 7', '"7" is no day of the week'],
  ['0 0 L * *', '"L" is no day of the month'],
  ['0 0 * * 1#2', '"1#2" is no day of the week'],
  ['*/0 * * * *', '"*/0" is no minute'],
  ['30-10 * * * *', '"30-10" is no minute'],
  ['* * * *', 'five fields'],
  ['@often', 'there is no "@often"'],
])('refuses %s and says what is wrong', (schedule, words) => {
  expect(scheduleProblem(schedule)).toContain(words);
});
