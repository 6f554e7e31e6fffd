import type { Deployment, Revision, RevisionDetail } from '@berth/core/deployment';
import { useQuery } from '@tanstack/react-query';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import { Link, useNavigate } from 'react-router';
import { isProblem } from '../api/problem.ts';
import { revisionQuery, revisionsQuery } from '../api/queries/deployment.ts';
import { Button, ButtonLink } from '../components/button.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { Select } from '../components/field.tsx';
import { Panel } from '../components/panel.tsx';
import { RelativeTime } from '../components/relative-time.tsx';
import { SkeletonRows } from '../components/skeleton.tsx';
import { useShortcuts } from '../components/use-shortcuts.ts';
import { ChangeList } from './change-list.tsx';
import { ErrorPanel } from './error-panel.tsx';
import { paths } from './paths.ts';
import { Outcome, RevisionAuthor } from './revision-list.tsx';
import { mayRollBackTo } from './revision-words.ts';
import { useDialog } from './use-dialog.ts';
import { useUrlState } from './use-url-state.ts';

/** One revision: what became of it, and what is different from the one before or from another. */
export function RevisionView({ deployment, revision }: { deployment: Deployment; revision: number }) {
  const { teamId, name, id } = deployment;
  const [asked, setAgainst] = useUrlState('against');
  const against = /^[1-9]\d*$/.test(asked) ? Number(asked) : undefined;
  const known = Number.isInteger(revision) && revision > 0;
  const detail = useQuery({ ...revisionQuery(id, revision, against), enabled: known });
  const all = useQuery(revisionsQuery(id)).data ?? [];
  const navigate = useNavigate();
  const at = all.findIndex((each) => each.revision === revision);
  const newer = all[at - 1]?.revision;
  const older = at === -1 ? undefined : all[at + 1]?.revision;
  const go = (to: number | undefined) => to !== undefined && void navigate(paths.revision(teamId, name, to));
  useShortcuts({ j: () => go(older), k: () => go(newer) });
  const back = paths.deployment(teamId, name, 'history');
  if (!known || isProblem(detail.error, 'not_found')) {
    return (
      <EmptyState title="There is no such revision" action={<ButtonLink to={back}>All revisions</ButtonLink>}>
        The history of {name} begins with revision {all.at(-1)?.revision ?? 1}.
      </EmptyState>
    );
  }
  if (detail.error && !detail.data) {
    return <ErrorPanel what={`Revision ${revision}`} error={detail.error} retry={() => void detail.refetch()} />;
  }
  return (
    <>
      <nav aria-label="Revisions" className="mb-3 flex items-center gap-1 text-muted">
        <Link to={back} className="mr-2 font-medium text-accent hover:underline">
          All revisions
        </Link>
        <Neighbour label="Older" to={older} teamId={teamId} name={name} />
        <Neighbour label="Newer" to={newer} teamId={teamId} name={name} />
      </nav>
      <Panel>
        {detail.data ? (
          <RevisionHead deployment={deployment} detail={detail.data} />
        ) : (
          <SkeletonRows rows={1} label={`Loading revision ${revision}`} />
        )}
      </Panel>
      <Panel
        className="mt-3.5"
        title="Difference"
        count={detail.data?.changes.length}
        aside={
          <label htmlFor="against" className="flex items-center gap-2">
            against
            <Select
              id="against"
              className="h-7 w-60 max-phone:w-44 pointer-coarse:h-9"
              value={against ?? detail.data?.against ?? ''}
              onChange={(event) => setAgainst(event.target.value === String(older) ? '' : event.target.value)}
            >
              {detail.data?.against === undefined && <option value="">nothing</option>}
              {all
                .filter((each) => each.revision !== revision)
                .map((each) => (
                  <option key={each.revision} value={each.revision}>
                    {optionWords(each, older)}
                  </option>
                ))}
            </Select>
          </label>
        }
      >
        <div aria-busy={detail.isFetching}>
          {detail.data ? <Difference detail={detail.data} /> : <SkeletonRows rows={4} label="Loading the difference" />}
        </div>
      </Panel>
    </>
  );
}

function RevisionHead({ deployment, detail }: { deployment: Deployment; detail: RevisionDetail }) {
  const { open } = useDialog();
  const { revision, summary, createdAt, template, message, outcome } = detail;
  return (
    <div className="flex flex-wrap items-start gap-x-4 gap-y-3 px-3.5 py-3">
      <div className="grid min-w-0 flex-1 basis-72 gap-1">
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <h2 className="numeric text-lead font-semibold">Revision {revision}</h2>
          <Outcome deployment={deployment} revision={detail} />
        </div>
        <p className="text-pretty">{summary}</p>
        {message && (
          <p className={outcome === 'failed' ? 'text-bad text-pretty' : 'text-muted text-pretty'}>{message}</p>
        )}
        <div className="flex flex-wrap items-center gap-x-3 gap-y-0.5 text-muted">
          <RevisionAuthor by={detail.by} />
          <RelativeTime at={createdAt} ago />
          {template && (
            <span className="numeric">
              {template.name} {template.version}
            </span>
          )}
        </div>
      </div>
      {mayRollBackTo(detail, deployment) && (
        <Button look="secondary" onClick={() => open('rollback', { to: String(revision) })}>
          Roll back to {revision}
        </Button>
      )}
    </div>
  );
}

function Difference({ detail }: { detail: RevisionDetail }) {
  if (detail.changes.length > 0) return <ChangeList changes={detail.changes} />;
  return (
    <p className="px-3.5 py-3 text-muted text-pretty">
      {detail.against === undefined
        ? 'The first revision: there is nothing before it to compare with.'
        : `Nothing is different from revision ${detail.against}. A restart, or a new value of a secret, looks like this.`}
    </p>
  );
}

function Neighbour(props: { label: string; to: number | undefined; teamId: string; name: string }) {
  const { label, to, teamId, name } = props;
  const Icon = label === 'Older' ? ChevronLeft : ChevronRight;
  const look = 'inline-flex h-7 items-center gap-0.5 rounded-control px-1.5';
  if (to === undefined) return <span className={`${look} text-faint`}>{label}</span>;
  return (
    <Link to={paths.revision(teamId, name, to)} className={`${look} hover:bg-sunken hover:text-text`}>
      {label === 'Older' && <Icon aria-hidden className="size-4" />}
      {label}
      {label !== 'Older' && <Icon aria-hidden className="size-4" />}
    </Link>
  );
}

function optionWords({ revision, serving, current }: Revision, older: number | undefined): string {
  const marks = [revision === older && 'the one before', serving && 'serving', current && !serving && 'wanted'];
  const words = marks.filter(Boolean).join(', ');
  return words === '' ? String(revision) : `${revision} (${words})`;
}
