import type { Deployment } from '@berth/core/deployment';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { revisionsQuery } from '../api/queries/deployment.ts';
import { Panel } from '../components/panel.tsx';
import { RelativeTime } from '../components/relative-time.tsx';
import { withoutEchoes } from './activity-words.ts';
import { ADDRESS_LOOK } from './deployment-address.tsx';
import type { DeploymentTabProps } from './deployment-tabs.tsx';
import { JobsPanel } from './jobs-panel.tsx';
import { paths } from './paths.ts';
import { Outcome } from './revision-list.tsx';
import { authorOf } from './revision-words.ts';
import { ServicesPanel } from './services-panel.tsx';
import { useTeam } from './team-context.ts';
import { fromWhere, timelineEntries } from './timeline-entries.ts';
import { TimelineList } from './timeline-list.tsx';

const REVISIONS = 4;
const ENTRIES = 12;

export function OverviewTab({ deployment, activity }: Pick<DeploymentTabProps, 'deployment' | 'activity'>) {
  return (
    <div className="grid items-start gap-3.5 huge:grid-cols-[minmax(0,1.65fr)_minmax(0,1fr)]">
      <div className="grid min-w-0 gap-3.5">
        <ServicesPanel deployment={deployment} />
        <JobsPanel deployment={deployment} />
        <TimelinePanel deployment={deployment} activity={activity} />
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

function TimelinePanel({ deployment, activity }: Pick<DeploymentTabProps, 'deployment' | 'activity'>) {
  const revisions = useQuery(revisionsQuery(deployment.id));
  // The team's latest activity is at hand; what lies before it is on the History tab.
  const entries = fromWhere(
    timelineEntries(withoutEchoes(activity), revisions.data ?? []),
    activity.length > ENTRIES ? activity.at(-1)?.at : undefined,
  ).slice(0, ENTRIES);
  return (
    <Panel
      title="What happened"
      aside={
        <MoreLink to={`${paths.deployment(deployment.teamId, deployment.name, 'history')}?view=everything`}>
          that happened
        </MoreLink>
      }
    >
      {entries.length === 0 ? (
        <p className="px-3.5 py-3 text-muted">Nothing lately.</p>
      ) : (
        <TimelineList deployment={deployment} entries={entries} />
      )}
    </Panel>
  );
}

function HistoryPanel({ deployment }: { deployment: Deployment }) {
  const { me } = useTeam();
  const revisions = useQuery(revisionsQuery(deployment.id));
  const { teamId, name } = deployment;
  return (
    <Panel title="History" aside={<MoreLink to={paths.deployment(teamId, name, 'history')}>of the history</MoreLink>}>
      <ol>
        {(revisions.data ?? []).slice(0, REVISIONS).map((each) => (
          <li
            key={each.revision}
            className="relative grid min-h-10 grid-cols-[26px_minmax(0,1fr)_auto] items-center gap-x-2.5 border-b border-line px-3.5 py-1.5 last:border-0 hover:bg-sunken/60"
          >
            <Link
              className="numeric font-medium after:absolute after:inset-0"
              to={paths.revision(teamId, name, each.revision)}
            >
              <span className="sr-only">Revision </span>
              {each.revision}
            </Link>
            <Outcome deployment={deployment} revision={each} />
            <span className="text-muted">
              <RelativeTime at={each.createdAt} />
            </span>
            <span className="col-start-2 -col-end-1 truncate text-muted" title={`${each.summary} by ${each.by}`}>
              {each.summary}, by {authorOf(each.by, me.user.email).words}
            </span>
          </li>
        ))}
      </ol>
    </Panel>
  );
}

function MoreLink({ to, children }: { to: string; children: string }) {
  return (
    <Link className="font-medium text-accent hover:underline" to={to}>
      All<span className="sr-only"> {children}</span>
    </Link>
  );
}

function AboutList({ deployment }: { deployment: Deployment }) {
  const { template, createdBy, createdAt, addresses, revision } = deployment;
  const rows: [string, React.ReactNode][] = [
    ['Template', template ? `${template.name} ${template.version}` : 'none: made with kubectl'],
    [
      addresses.length > 1 ? 'Addresses' : 'Address',
      addresses.length === 0
        ? 'none: its services answer only in the team'
        : addresses.map(({ host, url, service }) => (
            <span key={host} className="flex flex-wrap items-baseline gap-x-2">
              <a href={url} target="_blank" rel="noreferrer" className={ADDRESS_LOOK}>
                <span className="truncate">{host}</span>
                <span className="sr-only"> (opens in a new tab)</span>
              </a>
              {addresses.some((each) => each.service !== service) && <span className="text-faint">{service}</span>}
            </span>
          )),
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
          <dd className="numeric min-w-0">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
