import { expect, it } from 'vitest';
import type { ProcessEntry } from '../process/process-table.ts';
import { membersOf } from './members.ts';

const entry = (pid: number, parent: number, session: number): ProcessEntry => ({
  pid,
  parent,
  session,
  ticks: 0,
  startTime: '',
});

it('counts the session of a leader, its descendants in sessions of their own, and nothing else', () => {
  const table = [
    entry(1, 0, 1),
    entry(10, 1, 10), // leader
    entry(11, 10, 10), // child
    entry(12, 11, 12), // grandchild with a session of its own
    entry(13, 12, 13), // and its child with another
    entry(14, 1, 10), // orphan in the leader's session
    entry(15, 1, 15), // somebody else
    entry(20, 1, 20), // another leader
    entry(21, 22, 21), // a circle, as a table read in pieces may hold
    entry(22, 21, 22),
  ];
  const members = membersOf(
    table,
    new Map([
      [10, 'a'],
      [20, 'b'],
      [99, 'gone'],
    ]),
  );
  const pids = Object.fromEntries([...members].map(([key, own]) => [key, own.map(({ pid }) => pid)]));
  expect(pids).toEqual({ a: [10, 11, 12, 13, 14], b: [20] });
});
