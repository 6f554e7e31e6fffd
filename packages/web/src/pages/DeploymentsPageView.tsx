import type { Deployment } from '@berth/core/deployment';
import type { Team } from '@berth/core/tenant';
import { useState } from 'react';
import { ButtonLink } from '../components/button.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { Select } from '../components/field.tsx';
import { FilterInput } from '../components/filter-input.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { Panel } from '../components/panel.tsx';
import { SkeletonRows } from '../components/skeleton.tsx';
import { Tabs } from '../components/tabs.tsx';
import { useShortcuts } from '../components/use-shortcuts.ts';
import { BulkBar } from '../modules/bulk-bar.tsx';
import { type DeploymentFilter, NO_TEMPLATE } from '../modules/deployment-filter.ts';
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
  /** Names of templates that something was made from. */
  templates: readonly string[];
  filter: DeploymentFilter;
  onQuery: (query: string) => void;
  onTemplate: (template: string) => void;
  onSort: (sort: string) => void;
}

export function DeploymentsPageView(props: DeploymentsPageViewProps) {
  const { team, mayDeploy, live, shown, counts, templates, filter, onQuery, onTemplate, onSort } = props;
  const { query, state, template, sort } = filter;
  const [selectedIds, setSelectedIds] = useState<ReadonlySet<string>>(new Set());
  const here = paths.deployments(team.id);
  const address = (next: string) => addressOf(here, { ...filter, state: next });
  const selected = live.deployments.filter((each) => selectedIds.has(each.id));
  const clear = () => setSelectedIds(new Set());
  useShortcuts({ Escape: clear });
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
            {(templates.length > 1 || template !== '') && (
              <Select
                aria-label="Template"
                className="h-8 w-40 max-phone:hidden pointer-coarse:h-10"
                value={template}
                onChange={(event) => onTemplate(event.target.value)}
              >
                <option value="">All templates</option>
                {[...new Set([...templates, ...(template === '' ? [] : [template])])].map((each) => (
                  <option key={each} value={each}>
                    {each === NO_TEMPLATE ? 'Made with kubectl' : each}
                  </option>
                ))}
              </Select>
            )}
            <Select
              aria-label="Sort by"
              className="h-8 w-32 wide:hidden pointer-coarse:h-10"
              value={sort}
              onChange={(event) => onSort(event.target.value)}
            >
              {NARROW_SORTS.map(([value, words]) => (
                <option key={value} value={value}>
                  {words}
                </option>
              ))}
            </Select>
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
          action={<ButtonLink to={addressOf(here, { query: '', state: '', template: '', sort })}>Show all</ButtonLink>}
        >
          {nothingWords(filter)}
        </EmptyState>
      )}
      {shown.length > 0 && (
        <DeploymentsTable
          shown={shown}
          selectedIds={selectedIds}
          onSelect={setSelectedIds}
          sort={sort}
          onSort={onSort}
        />
      )}
      <BulkBar selected={selected} onClear={clear} />
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

const NARROW_SORTS = [
  ['', 'By name'],
  ['state', 'By state'],
  ['-changed', 'Last changed'],
] as const;

function addressOf(here: string, { query, state, template, sort }: DeploymentFilter): string {
  const given = { q: query, state, template, sort };
  const search = new URLSearchParams(Object.entries(given).filter(([, value]) => value !== '')).toString();
  return search === '' ? here : `${here}?${search}`;
}

function nothingWords({ query, state, template }: DeploymentFilter): string {
  const parts = [
    query !== '' && `matches “${query}”`,
    state !== '' && `is in the state ${state.toLowerCase()}`,
    template !== '' && (template === NO_TEMPLATE ? 'was made with kubectl' : `was made from ${template}`),
  ].filter(Boolean);
  return `None ${parts.join(' and ')}.`;
}
