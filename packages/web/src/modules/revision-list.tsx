import type { Deployment, Revision } from '@berth/core/deployment';
import { useQuery } from '@tanstack/react-query';
import { Terminal, UserRound } from 'lucide-react';
import { useRef } from 'react';
import { Link } from 'react-router';
import { revisionsQuery } from '../api/queries/deployment.ts';
import { Button } from '../components/button.tsx';
import { Tag } from '../components/panel.tsx';
import { RelativeTime } from '../components/relative-time.tsx';
import { SkeletonRows } from '../components/skeleton.tsx';
import { StateDot } from '../components/state-dot.tsx';
import { useListKeys } from '../components/use-list-keys.ts';
import { ErrorPanel } from './error-panel.tsx';
import { paths } from './paths.ts';
import { authorOf, mayRollBackTo, outcomeOf } from './revision-words.ts';
import { useTeam } from './team-context.ts';
import { useDialog } from './use-dialog.ts';

/** Every revision, newest first; the row opens what it changed. */
export function RevisionList({ deployment }: { deployment: Deployment }) {
  const revisions = useQuery(revisionsQuery(deployment.id));
  const table = useRef<HTMLTableElement>(null);
  useListKeys(table);
  if (revisions.error && !revisions.data) {
    return (
      <div className="p-3.5">
        <ErrorPanel what="The history" error={revisions.error} retry={() => void revisions.refetch()} />
      </div>
    );
  }
  if (!revisions.data) return <SkeletonRows rows={5} label="Loading the history" />;
  return (
    <table ref={table} className="data-table">
      <caption className="sr-only">Revisions of {deployment.name}, newest first</caption>
      <thead>
        <tr>
          <th scope="col">Revision</th>
          <th scope="col">Outcome</th>
          <th scope="col">What changed</th>
          <th scope="col">Version</th>
          <th scope="col">By</th>
          <th scope="col" data-align="right">
            When
          </th>
          <th scope="col">
            <span className="sr-only">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {revisions.data.map((each) => (
          <RevisionRow key={each.revision} deployment={deployment} revision={each} />
        ))}
      </tbody>
    </table>
  );
}

function RevisionRow({ deployment, revision }: { deployment: Deployment; revision: Revision }) {
  const { open } = useDialog();
  const { summary, createdAt, template, message } = revision;
  return (
    <tr data-link>
      <td data-narrow="hide" className="numeric font-medium wide:w-[1%] wide:whitespace-nowrap">
        {revision.revision}
      </td>
      <td data-narrow="state" className="wide:w-[1%] wide:whitespace-nowrap">
        <Outcome deployment={deployment} revision={revision} />
      </td>
      <td data-narrow="title" className="wide:w-[99%] wide:max-w-0">
        <Link
          to={paths.revision(deployment.teamId, deployment.name, revision.revision)}
          className="block truncate after:absolute after:inset-0 focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-accent"
        >
          <span className="sr-only">Revision {revision.revision}: </span>
          <span aria-hidden className="numeric mr-2 font-medium wide:hidden">
            {revision.revision}
          </span>
          {summary}
        </Link>
        {message && (
          <span className="block truncate text-hint text-muted" title={message}>
            {message}
          </span>
        )}
      </td>
      <td data-narrow="hide" className="numeric whitespace-nowrap text-muted">
        {template?.version ?? <span className="text-faint">–</span>}
      </td>
      <td data-narrow="detail" className="text-muted wide:max-w-[190px]">
        <RevisionAuthor by={revision.by} />
      </td>
      <td data-narrow="end" data-align="right" className="text-muted">
        <RelativeTime at={createdAt} ago />
      </td>
      <td data-narrow="hide" className="py-0! pl-0! text-right">
        {mayRollBackTo(revision, deployment) && (
          <Button
            look="ghost"
            className="relative z-10"
            onClick={() => open('rollback', { to: String(revision.revision) })}
          >
            Roll back<span className="sr-only"> to {revision.revision}</span>
          </Button>
        )}
      </td>
    </tr>
  );
}

/** Outcome with dot and word, and the marks of what serves and what is wanted. */
export function Outcome({ deployment, revision }: { deployment: Deployment; revision: Revision }) {
  const { tone, words, moving } = outcomeOf(revision, deployment);
  const { serving, current } = revision;
  const stopped = deployment.desired === 'stopped';
  return (
    <span className="inline-flex items-center gap-2">
      <StateDot tone={tone} moving={moving}>
        {words}
      </StateDot>
      {serving && !stopped && <Tag>serving</Tag>}
      {current && !(serving && !stopped) && <Tag>wanted</Tag>}
    </span>
  );
}

/** A person, or the program that wrote the resource. */
export function RevisionAuthor({ by }: { by: string }) {
  const { me } = useTeam();
  const author = authorOf(by, me.user.email);
  const Icon = author.kind === 'person' ? UserRound : Terminal;
  return (
    <span className="flex min-w-0 items-center gap-1.5" title={author.words === by ? undefined : by}>
      <Icon aria-hidden className="size-3.5 shrink-0 text-faint" strokeWidth={1.75} />
      <span className="truncate">{author.words}</span>
    </span>
  );
}
