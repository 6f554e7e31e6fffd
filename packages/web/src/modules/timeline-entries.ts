import type { Activity, Revision } from '@berth/core/deployment';

/** One thing that happened: a revision, or something that was noticed. */
export type TimelineEntry =
  | { kind: 'revision'; key: string; at: string; revision: Revision }
  | { kind: 'activity'; key: string; at: string; activity: Activity };

/** What people filter by. */
export const TIMELINE_FILTERS = ['changes', 'states', 'jobs', 'events'] as const;
export type TimelineFilter = (typeof TIMELINE_FILTERS)[number];

/** A change is told by its revision and by an activity, both written at once. */
const SAME_MOMENT_MILLISECONDS = 2_000;
const FILTER_OF: Record<Activity['kind'], TimelineFilter> = {
  created: 'changes',
  changed: 'changes',
  started: 'changes',
  stopped: 'changes',
  restarted: 'changes',
  scaled: 'changes',
  paused: 'changes',
  resumed: 'changes',
  rolled_back: 'changes',
  deleted: 'changes',
  update_stopped: 'states',
  running: 'states',
  failing: 'states',
  job: 'jobs',
  event: 'events',
};

/** Revisions and activity in one list, newest first, nothing told twice. */
export function timelineEntries(activity: readonly Activity[], revisions: readonly Revision[]): TimelineEntry[] {
  const moments = revisions.map((each) => Date.parse(each.createdAt));
  const told = activity.filter((each) => FILTER_OF[each.kind] !== 'changes' || !isNear(moments, Date.parse(each.at)));
  const entries: TimelineEntry[] = [
    ...revisions.map((revision): TimelineEntry => {
      const { createdAt: at } = revision;
      return { kind: 'revision', key: `revision ${revision.revision}`, at, revision };
    }),
    ...told.map(
      (each): TimelineEntry => ({ kind: 'activity', key: `activity ${each.id}`, at: each.at, activity: each }),
    ),
  ];
  return entries.sort((a, b) => Date.parse(b.at) - Date.parse(a.at));
}

export function filterOf(entry: TimelineEntry): TimelineFilter {
  return entry.kind === 'revision' ? 'changes' : FILTER_OF[entry.activity.kind];
}

/** No more of one list than the other reaches back: what is missing there would look like nothing happened. */
export function fromWhere(entries: readonly TimelineEntry[], oldest: string | undefined): TimelineEntry[] {
  return oldest === undefined ? [...entries] : entries.filter((each) => each.at >= oldest);
}

function isNear(moments: readonly number[], moment: number): boolean {
  return moments.some((each) => Math.abs(each - moment) <= SAME_MOMENT_MILLISECONDS);
}
