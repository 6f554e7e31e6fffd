import type { Deployment } from '@berth/core/deployment';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { RelativeTime } from '../components/relative-time.tsx';
import { DeploymentAddress } from './deployment-address.tsx';
import { servicesReady } from './deployment-state.ts';
import { paths } from './paths.ts';
import { StateBadge } from './state-badge.tsx';

/** Heads of the columns that `DeploymentRow` fills. */
export function DeploymentHeads({ before, after }: { before?: ReactNode; after?: ReactNode }) {
  return (
    <tr>
      {before}
      <th scope="col">Name</th>
      <th scope="col">State</th>
      <th scope="col">Address</th>
      <th scope="col" data-align="right">
        Services
      </th>
      <th scope="col" data-align="right">
        Changed
      </th>
      {after}
    </tr>
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
    <tr data-link data-selected={selected || undefined} aria-rowindex={index === undefined ? undefined : index + 2}>
      {before}
      <td data-narrow="title" className={compact ? 'wide:w-[24%] wide:max-w-0' : 'wide:w-[32%] wide:max-w-0'}>
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
      <td data-narrow="detail" className={compact ? 'wide:w-[42%] wide:max-w-0' : 'wide:w-[34%] wide:max-w-0'}>
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
