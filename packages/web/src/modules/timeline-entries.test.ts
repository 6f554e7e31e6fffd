import type { Activity, Revision } from '@berth/core/deployment';
import { describe, expect, it } from 'vitest';
import { filterOf, fromWhere, timelineEntries } from './timeline-entries.ts';

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 12, 0, second)).toISOString();
const activity = (id: number, kind: Activity['kind'], second: number): Activity => ({
  id,
  teamId: 't',
  kind,
  level: 'info',
  message: kind,
  at: at(second),
});
const revision = (number: number, second: number): Revision => ({
  revision: number,
  summary: 'title changed',
  by: 'dev@localhost',
  createdAt: at(second),
  outcome: 'running',
  current: true,
  serving: true,
});

describe('timelineEntries', () => {
  it('tells a change once: the revision, not the activity of the same moment', () => {
    const entries = timelineEntries([activity(1, 'changed', 10), activity(2, 'running', 10)], [revision(3, 10)]);
    expect(entries.map((each) => each.key)).toEqual(['revision 3', 'activity 2']);
  });

  it('keeps a change that no revision tells', () => {
    const entries = timelineEntries([activity(1, 'restarted', 30)], [revision(3, 10)]);
    expect(entries.map((each) => each.key)).toEqual(['activity 1', 'revision 3']);
  });

  it('is sorted by time, newest first', () => {
    const entries = timelineEntries(
      [activity(1, 'event', 5), activity(2, 'job', 40)],
      [revision(3, 10), revision(4, 50)],
    );
    expect(entries.map((each) => each.at)).toEqual([at(50), at(40), at(10), at(5)]);
  });
});

describe('filterOf', () => {
  it.each([
    ['scaled', 'changes'],
    ['update_stopped', 'states'],
    ['job', 'jobs'],
    ['event', 'events'],
  ] as const)('%s belongs to %s', (kind, filter) => {
    const [entry] = timelineEntries([activity(1, kind, 0)], []);
    expect(entry && filterOf(entry)).toBe(filter);
  });
});

describe('fromWhere', () => {
  it('ends where the shorter list ends', () => {
    const entries = timelineEntries([activity(1, 'event', 30)], [revision(3, 10), revision(4, 50)]);
    expect(fromWhere(entries, at(30)).map((each) => each.key)).toEqual(['revision 4', 'activity 1']);
    expect(fromWhere(entries, undefined)).toHaveLength(3);
  });
});
