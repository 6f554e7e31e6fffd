import type { Deployment } from '@berth/core/deployment';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { RelativeTime } from '../components/relative-time.tsx';
import { SortHead } from '../components/sort-head.tsx';
import { DeploymentAddress } from './deployment-address.tsx';
import { nextSort, readSort, type Sort } from './deployment-filter.ts';
import { servicesReady } from './deployment-state.ts';
import { paths } from './paths.ts';
import { StateBadge } from './state-badge.tsx';

/** How a table is sorted, and what a click on a head asks for. */
export interface Sorting {
  sort: string;
  onSort: (sort: string) => void;
}

/** Widths of a table that does not measure its rows: thousands of them come and go while it is scrolled. */
const WIDTHS = {
  state: 'wide:w-[204px]',
  address: 'wide:w-[32%]',
  services: 'wide:w-[92px]',
  changed: 'wide:w-[104px]',
};

/** Heads of the columns that `DeploymentRow` fills. */
export function DeploymentHeads({
  before,
  after,
  sorting,
}: {
  before?: ReactNode;
  after?: ReactNode;
  sorting?: Sorting;
}) {
  const fixed = sorting && WIDTHS;
  return (
    <tr>
      {before}
      <Head label="Name" by="name" sorting={sorting} />
      <Head label="State" by="state" sorting={sorting} className={fixed?.state} />
      <th scope="col" className={fixed?.address}>
        Address
      </th>
      <th scope="col" data-align="right" className={fixed?.services}>
        Services
      </th>
      <Head label="Changed" by="changed" sorting={sorting} align="right" className={fixed?.changed} />
      {after}
    </tr>
  );
}

function Head(props: { label: string; by: Sort; sorting: Sorting | undefined; align?: 'right'; className?: string }) {
  const { label, by, sorting, align, className } = props;
  if (!sorting) {
    return (
      <th scope="col" data-align={align} className={className}>
        {label}
      </th>
    );
  }
  const now = readSort(sorting.sort);
  const direction = now.by !== by ? undefined : now.descending ? 'descending' : 'ascending';
  return (
    <SortHead
      label={label}
      direction={direction}
      align={align}
      className={className}
      onSort={() => sorting.onSort(nextSort(sorting.sort, by))}
    />
  );
}

/** One deployment in a table; the name's link covers the row. */
export function DeploymentRow(props: {
  deployment: Deployment;
  pending: string | undefined;
  index?: number;
  selected?: boolean;
  /** Little room: the display name is left out. */
  compact?: boolean;
  before?: ReactNode;
  after?: ReactNode;
}) {
  const { deployment, pending, index, selected, compact, before, after } = props;
  const { ready, all } = servicesReady(deployment);
  return (
    <tr
      data-link
      data-id={deployment.id}
      data-selected={selected || undefined}
      aria-rowindex={index === undefined ? undefined : index + 2}
    >
      {before}
      <td data-narrow="title" className={compact ? 'wide:w-[26%] wide:max-w-0' : 'truncate'}>
        <Link
          to={paths.deployment(deployment.teamId, deployment.name)}
          className="block truncate font-medium after:absolute after:inset-0 focus-visible:outline-none focus-visible:after:rounded-control focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-accent"
        >
          {deployment.name}
          {!compact && deployment.displayName && deployment.displayName !== deployment.name && (
            <span className="ml-2 font-normal text-muted">{deployment.displayName}</span>
          )}
        </Link>
      </td>
      <td data-narrow="state">
        <StateBadge deployment={deployment} pending={pending} />
      </td>
      <td data-narrow="detail" className={compact ? 'wide:w-[42%] wide:max-w-0' : 'truncate'}>
        <DeploymentAddress deployment={deployment} />
      </td>
      <td data-narrow="hide" data-align="right" className="whitespace-nowrap">
        {deployment.desired === 'stopped' ? <span className="text-faint">–</span> : `${ready} of ${all}`}
      </td>
      <td data-narrow="end" data-align="right" className="text-muted">
        <RelativeTime at={deployment.updatedAt} />
      </td>
      {after}
    </tr>
  );
}
