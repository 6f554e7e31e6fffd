import type { Activity, Deployment } from '@berth/core/deployment';
import {
  Box,
  CircleCheck,
  CircleStop,
  GitCommitHorizontal,
  type LucideIcon,
  OctagonAlert,
  Pause,
  Play,
  Plus,
  RotateCw,
  Scaling,
  Timer,
  Trash2,
  TriangleAlert,
  Undo2,
} from 'lucide-react';
import { Link } from 'react-router';
import { classes } from '../components/classes.ts';
import { RelativeTime } from '../components/relative-time.tsx';
import { activityWords } from './activity-words.ts';
import { paths } from './paths.ts';
import { authorOf, outcomeOf } from './revision-words.ts';
import { useTeam } from './team-context.ts';
import type { TimelineEntry } from './timeline-entries.ts';

const ICONS: Record<Activity['kind'], LucideIcon> = {
  created: Plus,
  changed: GitCommitHorizontal,
  started: Play,
  stopped: CircleStop,
  restarted: RotateCw,
  scaled: Scaling,
  paused: Pause,
  resumed: Play,
  rolled_back: Undo2,
  update_stopped: OctagonAlert,
  job: Timer,
  deleted: Trash2,
  running: CircleCheck,
  failing: TriangleAlert,
  event: Box,
};
const LEVEL_LOOKS: Record<Activity['level'], string> = {
  info: 'text-muted',
  ok: 'text-ok',
  warning: 'text-warn',
  failure: 'text-bad',
};
const LEVEL_WORDS: Record<Activity['level'], string> = { info: '', ok: '', warning: 'Warning: ', failure: 'Failure: ' };
/** Characters that three lines hardly hold. */
const LONG = 220;

/** What happened to a deployment: changes, states, jobs and the cluster's events, newest first. */
export function TimelineList({ deployment, entries }: { deployment: Deployment; entries: readonly TimelineEntry[] }) {
  const { me } = useTeam();
  return (
    <ol className="px-3.5 py-2">
      {entries.map((entry) => (
        <li key={entry.key} className="relative grid grid-cols-[18px_minmax(0,1fr)_auto] gap-x-2.5 py-[5px]">
          {entry.kind === 'revision' ? (
            <RevisionEntry deployment={deployment} revision={entry.revision} me={me.user.email} />
          ) : (
            <ActivityEntry activity={entry.activity} me={me.user.email} />
          )}
          <span className="text-faint">
            <RelativeTime at={entry.at} />
          </span>
        </li>
      ))}
    </ol>
  );
}

type RevisionOf = Extract<TimelineEntry, { kind: 'revision' }>['revision'];

function RevisionEntry(props: { deployment: Deployment; revision: RevisionOf; me: string }) {
  const { deployment, revision, me } = props;
  const { tone } = outcomeOf(revision, deployment);
  return (
    <>
      <EntryIcon icon={GitCommitHorizontal} className={tone === 'bad' ? 'text-bad' : 'text-accent'} />
      <span className="text-pretty wrap-anywhere">
        <Link
          className="numeric font-medium hover:underline"
          to={paths.revision(deployment.teamId, deployment.name, revision.revision)}
        >
          Revision {revision.revision}
        </Link>{' '}
        {revision.summary} <span className="text-muted">by {authorOf(revision.by, me).words}</span>
        {revision.outcome === 'failed' && <span className="text-bad"> · stopped</span>}
      </span>
    </>
  );
}

function ActivityEntry({ activity, me }: { activity: Activity; me: string }) {
  const { kind, level, message, by } = activity;
  // An update's own sentence names the service.
  const service = kind === 'update_stopped' ? undefined : activity.service;
  return (
    <>
      <EntryIcon
        icon={level === 'warning' && kind === 'event' ? TriangleAlert : ICONS[kind]}
        className={kind === 'event' && level === 'info' ? 'text-faint' : LEVEL_LOOKS[level]}
      />
      <span
        className={classes(
          'line-clamp-3 text-pretty wrap-anywhere',
          kind === 'event' && level === 'info' && 'text-muted',
        )}
        title={message.length > LONG ? message : undefined}
      >
        <span className="sr-only">{LEVEL_WORDS[level]}</span>
        {service && <span className="font-medium">{service} </span>}
        {service ? activityWords(activity) : capital(activityWords(activity))}
        {by && <span className="text-muted"> by {authorOf(by, me).words}</span>}
      </span>
    </>
  );
}

function EntryIcon({ icon: Icon, className }: { icon: LucideIcon; className: string }) {
  return (
    <span className={classes('grid h-5 place-items-center', className)}>
      <Icon aria-hidden className="size-[15px]" strokeWidth={1.75} />
    </span>
  );
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
