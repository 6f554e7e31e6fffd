import { describe, expect, it } from 'vitest';
import { dueRun, parseCronSchedule } from './cron-schedule.ts';

function runs(text: string, { zone = 'UTC', from = '', count = 3 }): string[] {
  const schedule = parseCronSchedule(text, zone);
  const found: string[] = [];
  for (let at = schedule.next(Date.parse(from)); at !== undefined && found.length < count; at = schedule.next(at))
    found.push(new Date(at).toISOString().slice(5, 16));
  return found;
}

describe('a schedule', () => {
  it.each([
    ['*/20 * * * *', '2026-01-01T00:05:00Z', ['01-01T00:20', '01-01T00:40', '01-01T01:00']],
    ['0 9 * * MON-FRI', '2026-01-02T12:00:00Z', ['01-05T09:00', '01-06T09:00', '01-07T09:00']],
    ['0 0 13 * 5', '2026-01-01T00:00:00Z', ['01-02T00:00', '01-09T00:00', '01-13T00:00']],
    ['0 0 ? * ?', '2026-01-01T00:00:00Z', ['01-02T00:00', '01-03T00:00', '01-04T00:00']],
    ['@monthly', '2026-01-15T00:00:00Z', ['02-01T00:00', '03-01T00:00', '04-01T00:00']],
    ['@every 1h30m', '2026-01-01T00:00:00Z', ['01-01T01:30', '01-01T03:00', '01-01T04:30']],
    ['0 0 31 2 *', '2026-01-01T00:00:00Z', []],
  ])('of %s is read as Kubernetes reads it', (text, from, expected) => {
    expect(runs(text, { from })).toEqual(expected);
  });

  it.each([
    '',
    '* * * *',
    '* * * * * *',
    '61 * * * *',
    '0 0 L * *',
    '0 0 * * 1#2',
    '0 0 * * 7',
    '@often',
    '@every 0s',
    'a * * * *',
  ])('%j is refused', (text) => expect(() => parseCronSchedule(text)).toThrow());

  it('in a zone that does not exist is refused', () => {
    expect(() => parseCronSchedule('* * * * *', 'Mars/Base')).toThrow(/Mars/);
  });

  const zone = 'Europe/Berlin';
  it('runs once for a local time that is skipped or comes twice', () => {
    expect(runs('30 2 * * *', { zone, from: '2026-03-28T12:00:00Z' })).toEqual([
      '03-29T01:30',
      '03-30T00:30',
      '03-31T00:30',
    ]);
    expect(runs('30 2 * * *', { zone, from: '2026-10-24T12:00:00Z' })).toEqual([
      '10-25T01:30',
      '10-26T01:30',
      '10-27T01:30',
    ]);
  });

  it('of every hour goes on while the clock is changed', () => {
    const hourly = ['10-25T00:15', '10-25T01:15', '10-25T02:15'];
    expect(runs('15 * * * *', { zone, from: '2026-10-24T23:30:00Z' })).toEqual(hourly);
    const spring = ['03-29T00:40', '03-29T01:00', '03-29T01:20'];
    expect(runs('*/20 * * * *', { zone, from: '2026-03-29T00:20:00Z' })).toEqual(spring);
    expect(runs('0 * * * *', { zone: 'Australia/Lord_Howe', from: '2026-04-04T13:30:00Z' })).toEqual([
      '04-04T14:00',
      '04-04T15:30',
      '04-04T16:30',
    ]);
  });
});

describe('what is due', () => {
  const hourly = parseCronSchedule('@hourly');
  const at = (text: string) => Date.parse(`2026-01-${text}Z`);
  it.each([
    ['nothing, before the first time', '01T00:10:00', '01T00:59:59', undefined, 'none'],
    ['the one that was reached', '01T00:10:00', '01T01:00:00', '01T01:00:00', 'one'],
    ['the latest of a few', '01T00:10:00', '01T05:30:00', '01T05:00:00', 'few'],
    ['the latest of many', '01T00:10:00', '20T05:30:00', '20T05:00:00', 'many'],
  ])('is %s', (_what, since, now, due, missed) => {
    expect(dueRun(hourly, at(since), at(now))).toEqual({ at: due && at(due), missed });
  });
});
