import { describe, expect, it } from 'vitest';
import { logQuery, readChoice, writeChoice } from './log-choice.ts';

const NAMES = ['web', 'db'];
const read = (text: string) => readChoice(new URLSearchParams(text), NAMES);

describe('what of a log is shown', () => {
  it('stands in the address, and what makes no sense there is left out', () => {
    expect(read('service=web,none&level=warning&since=15m&previous=yes&q=x&wrap=yes&line=a')).toEqual({
      service: 'web',
      level: 'warning',
      since: '15m',
      previous: true,
      q: 'x',
      wrap: true,
      line: 'a',
    });
    expect(read('level=loud&since=ever')).toMatchObject({ service: '', level: '', since: '', previous: false });
  });

  it('goes back there', () => {
    const before = new URLSearchParams('service=web&do=this&q=a');
    expect(writeChoice(before, { service: 'web,db', q: '', wrap: true, previous: false }).toString()).toBe(
      'service=web%2Cdb&do=this&wrap=yes',
    );
  });

  it('asks for the last lines, for those since a time, or for those around a line', () => {
    expect(logQuery(read(''), '')).toEqual({ tail: 1000 });
    expect(logQuery(read('since=1h&level=error&service=db'), '')).toEqual({
      since: '1h',
      level: 'error',
      service: 'db',
    });
    expect(logQuery(read(''), '2026-01-01T00:05:00.123456789Z~2')).toEqual({ since: '2026-01-01T00:04:00.123Z' });
  });
});
