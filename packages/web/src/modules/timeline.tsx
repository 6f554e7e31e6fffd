import type { Deployment } from '@berth/core/deployment';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { deploymentActivityQuery, revisionsQuery } from '../api/queries/deployment.ts';
import { Button } from '../components/button.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { Panel } from '../components/panel.tsx';
import { SkeletonRows } from '../components/skeleton.tsx';
import { Switcher } from '../components/switcher.tsx';
import { withoutEchoes } from './activity-words.ts';
import { ErrorPanel } from './error-panel.tsx';
import { filterOf, fromWhere, timelineEntries } from './timeline-entries.ts';
import { TimelineList } from './timeline-list.tsx';
import { useUrlState } from './use-url-state.ts';

const FILTERS = [
  { value: '', label: 'All' },
  { value: 'changes', label: 'Changes' },
  { value: 'states', label: 'States' },
  { value: 'jobs', label: 'Jobs' },
  { value: 'events', label: 'Events' },
] as const;

/** Everything that happened to a deployment, filtered by kind, as far back as it is known. */
export function Timeline({ deployment }: { deployment: Deployment }) {
  const [kind, setKind] = useUrlState('kind');
  const activity = useInfiniteQuery(deploymentActivityQuery(deployment.id));
  const revisions = useQuery(revisionsQuery(deployment.id));
  const error = activity.error ?? revisions.error;
  const retry = () => void Promise.all([activity.refetch(), revisions.refetch()]);
  const loaded = activity.data && revisions.data;
  const known = activity.data?.pages.flatMap((each) => each.items) ?? [];
  const all = fromWhere(
    timelineEntries(withoutEchoes(known), revisions.data ?? []),
    activity.hasNextPage ? known.at(-1)?.at : undefined,
  );
  const shown = kind === '' ? all : all.filter((each) => filterOf(each) === kind);
  return (
    <Panel
      title="Everything that happened"
      aside={<Switcher label="Kind" value={kind} onChange={setKind} choices={FILTERS} />}
    >
      {error && !loaded && (
        <div className="p-3.5">
          <ErrorPanel what="What happened" error={error} retry={retry} />
        </div>
      )}
      {!loaded && !error && <SkeletonRows rows={6} label="Loading what happened" />}
      {loaded && shown.length === 0 && (
        <EmptyState title="Nothing of this kind" action={<Button onClick={() => setKind('')}>Show all</Button>}>
          Changes, states of services, runs of jobs and the cluster’s events stand here.
        </EmptyState>
      )}
      {loaded && shown.length > 0 && <TimelineList deployment={deployment} entries={shown} />}
      {activity.hasNextPage && (
        <p className="border-t border-line px-3.5 py-2">
          <Button look="ghost" pending={activity.isFetchingNextPage} onClick={() => void activity.fetchNextPage()}>
            Show earlier
          </Button>
        </p>
      )}
    </Panel>
  );
}
