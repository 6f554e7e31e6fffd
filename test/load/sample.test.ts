import { describe, expect, it } from 'vitest';
import { countingProblems, type Sample, tableOf } from './sample.ts';

const sample = (id: string, change: Partial<Sample> = {}): Sample => ({
  id,
  phase: 'before',
  method: 'POST',
  slow: false,
  status: 200,
  milliseconds: 10,
  ...change,
});

describe('what was counted', () => {
  it('is right when each POST that was answered is there once', () => {
    const samples = [
      sample('a'),
      sample('b'),
      sample('c', { method: 'GET' }),
      sample('w', { method: 'WS', status: 101 }),
    ];
    expect(countingProblems(samples, ['b', 'a'])).toEqual([]);
  });

  it('is wrong when one is lost, twice or made up', () => {
    expect(countingProblems([sample('a'), sample('b')], ['b', 'b', 'x'])).toEqual([
      'POST a (before) was answered and not counted',
      'POST b was counted 2 times',
      'x was counted and never sent',
    ]);
  });
});

it('the table tells phases and the slow apart', () => {
  const { status: _none, ...unanswered } = sample('d', { phase: 'update 1', error: 'ECONNRESET' });
  const table = tableOf([
    sample('a'),
    sample('b', { slow: true, milliseconds: 5000 }),
    sample('c', { status: 502 }),
    unanswered,
  ]);
  const [head, before, update, all] = table.split('\n').map((line) => line.trim().split(/ {2,}/));
  expect(head?.slice(0, 6)).toEqual(['phase', 'sent', 'answered', 'good', 'other', 'no answer']);
  expect(before).toEqual(['before', '3', '3', '2', '1', '0', '10.0', '10.0', '1', '5000.0']);
  expect(update?.slice(0, 6)).toEqual(['update 1', '1', '0', '0', '0', '1']);
  expect(all?.slice(0, 6)).toEqual(['all', '4', '3', '2', '1', '1']);
});
