import { grantersOf } from '@berth/core/permissions';
import type { TemplateDetail, TemplateSummary } from '@berth/core/routes/template-routes';
import type { Team } from '@berth/core/tenant';
import { lazy, Suspense, useMemo, useRef, useState } from 'react';
import { Link, useNavigate } from 'react-router';
import { messageOf } from '../api/problem.ts';
import { Banner } from '../components/banner.tsx';
import { Button, ButtonLink } from '../components/button.tsx';
import { useFeedback } from '../components/feedback.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { Tag } from '../components/panel.tsx';
import { RelativeTime } from '../components/relative-time.tsx';
import { Skeleton } from '../components/skeleton.tsx';
import { LeaveGuard } from '../modules/leave-guard.tsx';
import { useLive } from '../modules/live-provider.tsx';
import { paths } from '../modules/paths.ts';
import { RetireTemplateDialog } from '../modules/retire-template-dialog.tsx';
import { TemplatePreview } from '../modules/template-preview.tsx';
import { TemplateProblemList } from '../modules/template-problem-list.tsx';
import { useTemplateEditor } from '../modules/use-template-editor.ts';

const TemplateCode = lazy(async () => ({ default: (await import('../modules/template-code.tsx')).TemplateCode }));

export function TemplateEditorPageView(props: {
  team: Team;
  title: string;
  /** Absent for a new one. */
  saved?: TemplateDetail;
  what: string;
  start: string;
  templates: readonly TemplateSummary[];
  versions: readonly string[];
  mayWrite: boolean;
}) {
  const { team, title, saved, what, start, templates, versions, mayWrite } = props;
  const navigate = useNavigate();
  const { toast } = useFeedback();
  const leaving = useRef(false);
  const shippedNames = useMemo(
    () => new Set(templates.filter(({ owner }) => owner === 'berth').map(({ name }) => name)),
    [templates],
  );
  const editor = useTemplateEditor({
    teamId: team.id,
    what,
    start,
    versions,
    shippedNames: saved?.owner === 'berth' ? NONE : shippedNames,
    onSaved: ({ name, version }) => {
      leaving.current = true;
      toast({
        tone: 'ok',
        text: `${name} ${version} is saved.`,
        action: { label: 'Deploy it', run: () => void navigate(paths.deploy(team.id, name)) },
      });
      void navigate(paths.template(team.id, name), { replace: true });
    },
  });
  const [goTo, setGoTo] = useState({ line: 1, count: 0 });
  const [retiring, setRetiring] = useState(false);
  const { deployments } = useLive(team.id);
  const { text, problems, dirty, template } = editor;
  const version = template?.spec.version;
  const ready = problems.length === 0 && (dirty || !saved);
  const go = (line: number) => setGoTo(({ count }) => ({ line, count: count + 1 }));
  const save = () => {
    if (ready) void editor.save();
    else if (problems[0]) go(problems[0].line);
  };
  return (
    <>
      <PageHeader
        title={title}
        place={team.name}
        before={
          <Link to={paths.catalogue(team.id)} className="text-muted hover:text-text">
            Catalogue /
          </Link>
        }
        beside={saved && <Tag>{saved.version}</Tag>}
        actions={
          <>
            {saved && (
              <ButtonLink look="ghost" to={paths.templateVersions(team.id, saved.name)}>
                Versions
              </ButtonLink>
            )}
            {saved && mayWrite && (
              <Button look="ghost" onClick={() => setRetiring(true)}>
                Retire
              </Button>
            )}
            {saved && <ButtonLink to={paths.deploy(team.id, saved.name)}>Deploy</ButtonLink>}
            {mayWrite && (
              <Button look="primary" pending={editor.saving} disabled={!ready} onClick={save}>
                {version && ready ? `Save ${version}` : 'Save'}
              </Button>
            )}
          </>
        }
      />
      <div className="mb-3 grid gap-3 empty:hidden">
        {!mayWrite && (
          <Banner
            tone="info"
            title={saved?.owner === 'berth' ? 'This template ships with Berth' : 'You may look, not write'}
          >
            {saved?.owner === 'berth' ? (
              <Link to={paths.newTemplate(team.id, saved.name)} className="text-accent hover:underline">
                Begin a template of your own with a copy of it.
              </Link>
            ) : (
              `Ask ${grantersOf('template:write')} to write templates.`
            )}
          </Banner>
        )}
        {editor.draft && dirty && mayWrite && (
          <Banner
            tone="info"
            title="Your draft is back"
            action={
              <Button look="link" onClick={editor.discardDraft}>
                {saved ? `Throw it away and show ${saved.version}` : 'Throw it away'}
              </Button>
            }
          >
            Not saved yet, written <RelativeTime at={editor.draft.at} ago />.
          </Banner>
        )}
        {editor.failure && <Banner takesFocus tone="bad" title={messageOf(editor.failure)} />}
      </div>
      <div className="grid items-start gap-4 wide:grid-cols-[minmax(0,1.35fr)_minmax(0,1fr)]">
        <section
          aria-label="The template's text"
          className="overflow-hidden rounded-panel border border-line bg-panel focus-within:border-accent wide:sticky wide:top-5"
        >
          <div className="h-[max(320px,calc(100dvh-260px))] max-wide:h-[60dvh]">
            <Suspense fallback={<CodeLoading />}>
              <TemplateCode
                text={text}
                onText={editor.setText}
                problems={problems}
                readOnly={!mayWrite}
                label="The template as YAML. Escape, then Tab, leaves it."
                goTo={goTo.count > 0 ? goTo : undefined}
                onSave={save}
              />
            </Suspense>
          </div>
          <TemplateProblemList problems={problems} onGo={go} />
          <p className="border-t border-line px-3.5 py-1.5 text-hint text-muted">
            Tab indents; Escape, then Tab, leaves the text. Ctrl+F searches, Ctrl+S saves.
          </p>
        </section>
        <TemplatePreview template={template} />
      </div>
      <LeaveGuard dirty={dirty && mayWrite} passes={() => leaving.current} />
      {saved && (
        <RetireTemplateDialog
          team={team}
          name={saved.name}
          deployments={deployments.filter((each) => each.template?.name === saved.name).map((each) => each.name)}
          open={retiring}
          onClose={() => setRetiring(false)}
        />
      )}
    </>
  );
}

const NONE: ReadonlySet<string> = new Set();

export function TemplateEditorLoading() {
  return (
    <div role="status" aria-label="Loading the editor" className="grid gap-4 wide:grid-cols-2">
      <Skeleton className="h-6 w-52 wide:col-span-2" />
      <Skeleton className="h-[60dvh] w-full rounded-panel!" />
      <Skeleton className="h-72 w-full rounded-panel!" />
    </div>
  );
}

function CodeLoading() {
  return (
    <div role="status" aria-label="Loading the editor" className="grid gap-2 p-4">
      {[52, 40, 64, 48, 56].map((width) => (
        <Skeleton key={width} className={WIDTHS[width]} />
      ))}
    </div>
  );
}
const WIDTHS: Record<number, string> = { 40: 'w-40', 48: 'w-48', 52: 'w-52', 56: 'w-56', 64: 'w-64' };
