import type { Activity, Deployment } from '@berth/core/deployment';
import { formatBytes, quantity } from '@berth/core/quantity';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { revisionsQuery } from '../api/queries/deployment.ts';
import { Panel } from '../components/panel.tsx';
import { RelativeTime } from '../components/relative-time.tsx';
import { ActivityList } from './activity-list.tsx';
import { paths } from './paths.ts';
import { ServiceStateBadge } from './state-badge.tsx';

const REVISIONS = 5;

export function OverviewTab({ deployment, activity }: { deployment: Deployment; activity: readonly Activity[] }) {
  return (
    <div className="grid items-start gap-3.5 huge:grid-cols-[minmax(0,1.65fr)_minmax(0,1fr)]">
      <div className="grid min-w-0 gap-3.5">
        <Panel title="Services">
          <ServicesTable deployment={deployment} />
        </Panel>
        <Panel title="What happened">
          {activity.length === 0 ? (
            <p className="px-3.5 py-3 text-muted">Nothing lately.</p>
          ) : (
            <ActivityList activity={activity.slice(0, 20)} />
          )}
        </Panel>
      </div>
      <div className="grid min-w-0 gap-3.5">
        <HistoryPanel deployment={deployment} />
        <Panel title="About">
          <AboutList deployment={deployment} />
        </Panel>
      </div>
    </div>
  );
}

function ServicesTable({ deployment }: { deployment: Deployment }) {
  const mayRead = deployment.permissions.includes('deployment:logs');
  return (
    <table className="data-table">
      <caption className="sr-only">Services of {deployment.name}</caption>
      <thead>
        <tr>
          <th scope="col">Service</th>
          <th scope="col">State</th>
          <th scope="col">Image</th>
          <th scope="col" data-align="right">
            Ready
          </th>
          <th scope="col" data-align="right">
            Restarts
          </th>
        </tr>
      </thead>
      <tbody>
        {deployment.services.map((service) => (
          <tr key={service.name} data-link={mayRead || undefined}>
            <td data-narrow="title" className="font-medium">
              {mayRead ? (
                <Link
                  to={paths.logs(deployment.teamId, deployment.name, service.name)}
                  title={`Logs of ${service.name}`}
                  className="after:absolute after:inset-0 focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-accent"
                >
                  {service.name}
                </Link>
              ) : (
                service.name
              )}
              {service.volumes.map((volume) => (
                <span key={volume.name} className="ml-2 font-normal whitespace-nowrap text-muted">
                  {volume.name} {formatBytes(quantity(volume.size))}
                </span>
              ))}
            </td>
            <td data-narrow="state">
              <ServiceStateBadge service={service} />
            </td>
            <td data-narrow="detail" className="wide:w-[36%] wide:max-w-0">
              <span className="mono block truncate text-muted">{service.image}</span>
              {service.message && service.state !== 'Running' && (
                <span className="line-clamp-2 text-hint text-muted">{service.message}</span>
              )}
            </td>
            <td data-narrow="end" data-align="right" className="whitespace-nowrap">
              {service.desired === 0 ? <span className="text-faint">–</span> : `${service.ready} of ${service.desired}`}
            </td>
            <td data-narrow="hide" data-align="right">
              {service.restarts}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function HistoryPanel({ deployment }: { deployment: Deployment }) {
  const revisions = useQuery(revisionsQuery(deployment.id));
  return (
    <Panel
      title="History"
      aside={
        <Link
          className="font-medium text-accent hover:underline"
          to={paths.deployment(deployment.teamId, deployment.name, 'history')}
        >
          All<span className="sr-only"> of the history</span>
        </Link>
      }
    >
      <ol>
        {(revisions.data ?? []).slice(0, REVISIONS).map((each) => (
          <li
            key={each.revision}
            className="row-height grid grid-cols-[28px_minmax(0,1fr)_auto] items-center gap-2.5 border-b border-line px-3.5 last:border-0"
          >
            <span className="numeric font-medium">{each.revision}</span>
            <span className="truncate" title={`${each.summary} by ${each.by}`}>
              {each.summary} <span className="text-muted">by {each.by}</span>
            </span>
            <span className="text-muted">
              <RelativeTime at={each.createdAt} />
            </span>
          </li>
        ))}
      </ol>
    </Panel>
  );
}

function AboutList({ deployment }: { deployment: Deployment }) {
  const { template, createdBy, createdAt, host, revision } = deployment;
  const rows: [string, React.ReactNode][] = [
    ['Template', template ? `${template.name} ${template.version}` : 'none: made with kubectl'],
    [
      'Address',
      host ? (
        <span key="host" className="mono wrap-anywhere">
          {host}
        </span>
      ) : (
        'none: its services answer only in the team'
      ),
    ],
    ['Revision', revision],
    [
      'Made',
      <span key="made">
        <RelativeTime at={createdAt} ago /> by {createdBy}
      </span>,
    ],
  ];
  return (
    <dl className="grid grid-cols-[84px_minmax(0,1fr)] gap-x-3 gap-y-1.5 px-3.5 py-3">
      {rows.map(([term, value]) => (
        <div key={term} className="contents">
          <dt className="text-muted">{term}</dt>
          <dd className="numeric">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
