import type { Deployment } from '@berth/core/deployment';
import type { Team } from '@berth/core/tenant';
import { useState } from 'react';
import { Button, ButtonLink } from '../components/button.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { FilterInput } from '../components/filter-input.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { Panel } from '../components/panel.tsx';
import { SkeletonRows } from '../components/skeleton.tsx';
import { Tabs } from '../components/tabs.tsx';
import { BulkBar } from '../modules/bulk-bar.tsx';
import { STATE_FILTERS, type StateFilter } from '../modules/deployment-state.ts';
import { DeploymentsTable } from '../modules/deployments-table.tsx';
import { ErrorPanel } from '../modules/error-panel.tsx';
import type { Live } from '../modules/live-provider.tsx';
import { paths } from '../modules/paths.ts';

export interface DeploymentsPageViewProps {
  team: Team;
  mayDeploy: boolean;
  live: Live;
  shown: readonly Deployment[];
  counts: Record<StateFilter, number>;
  query: string;
  state: string;
  onQuery: (query: string) => void;
}

export function DeploymentsPageView(props: DeploymentsPageViewProps) {
  const { team, mayDeploy, live, shown, counts, query, state, onQuery } = props;
  const [selectedIds, setSelectedIds] = useState<ReadonlySet<string>>(new Set());
  const here = paths.deployments(team.id);
  const address = (next: string) => {
    const search = new URLSearchParams({ ...(query && { q: query }), ...(next && { state: next }) }).toString();
    return search ? `${here}?${search}` : here;
  };
  const selected = live.deployments.filter((each) => selectedIds.has(each.id));
  const deploy = mayDeploy && (
    <ButtonLink look="primary" to={paths.catalogue(team.id)}>
      Deploy
    </ButtonLink>
  );
  return (
    <>
      <PageHeader
        title="Deployments"
        place={team.name}
        actions={
          <>
            <FilterInput label="Filter by name or address" value={query} onChange={onQuery} />
            {deploy}
          </>
        }
      />
      <Tabs
        label="States"
        tabs={[
          { to: address(''), label: <Counted word="All" count={live.deployments.length} />, current: state === '' },
          ...STATE_FILTERS.map((each) => ({
            to: address(each),
            label: <Counted word={each} count={counts[each]} />,
            current: state === each,
          })),
        ]}
      />
      {live.error && <ErrorPanel what="The deployments" error={live.error} retry={live.retry} />}
      {!live.loaded && !live.error && (
        <Panel>
          <SkeletonRows rows={8} label="Loading deployments" />
        </Panel>
      )}
      {live.loaded && live.deployments.length === 0 && (
        <EmptyState title="No deployments yet" action={deploy}>
          A deployment is an app from the catalogue with its own address, volumes and secrets. It belongs to the team,
          not to the person who made it.
        </EmptyState>
      )}
      {live.deployments.length > 0 && shown.length === 0 && (
        <EmptyState
          title="No deployment fits"
          action={
            query !== '' ? (
              <Button onClick={() => onQuery('')}>Clear the filter</Button>
            ) : (
              <ButtonLink to={here}>Show all</ButtonLink>
            )
          }
        >
          {query !== ''
            ? `None matches “${query}”${state ? ` and is ${state.toLowerCase()}` : ''}.`
            : `None is ${state.toLowerCase()}.`}
        </EmptyState>
      )}
      {shown.length > 0 && <DeploymentsTable shown={shown} selectedIds={selectedIds} onSelect={setSelectedIds} />}
      <BulkBar selected={selected} onClear={() => setSelectedIds(new Set())} />
    </>
  );
}

function Counted({ word, count }: { word: string; count: number }) {
  return (
    <>
      {word} <span className="numeric text-hint font-normal text-faint">{count}</span>
    </>
  );
}
