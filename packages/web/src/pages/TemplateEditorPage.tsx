import { useQuery } from '@tanstack/react-query';
import { useParams } from 'react-router';
import { isProblem } from '../api/problem.ts';
import { templateQuery, templateSourceQuery, templatesQuery } from '../api/queries/template.ts';
import { PageHeader } from '../components/page-header.tsx';
import { ErrorPanel } from '../modules/error-panel.tsx';
import { useTeam } from '../modules/team-context.ts';
import { nextVersion, withVersion } from '../modules/template-text.ts';
import { NotFoundPage } from './NotFoundPage.tsx';
import { TemplateEditorLoading, TemplateEditorPageView } from './TemplateEditorPageView.tsx';

/** The newest version of a template of the team's own, with the next version's number already in it. */
export function TemplateEditorPage() {
  const { template: name = '' } = useParams();
  const { team, may } = useTeam();
  const detail = useQuery(templateQuery(team.id, name));
  const newest = detail.data?.version;
  // Of that very version: the two must not come from before and after a save.
  const source = useQuery({ ...templateSourceQuery(team.id, name, newest), enabled: newest !== undefined });
  const templates = useQuery(templatesQuery(team.id));
  const error = detail.error ?? source.error ?? templates.error;
  if (isProblem(error, 'not_found')) return <NotFoundPage what="template" />;
  if (error) {
    return (
      <>
        <PageHeader title={name} place={team.name} />
        <ErrorPanel
          what="The template"
          error={error}
          retry={() => void Promise.all([detail.refetch(), source.refetch()])}
        />
      </>
    );
  }
  if (!detail.data || !source.data || !templates.data) return <TemplateEditorLoading />;
  const mayWrite = may('template:write') && detail.data.owner === 'team';
  return (
    <TemplateEditorPageView
      key={`${name} ${detail.data.version}`}
      team={team}
      title={name}
      saved={detail.data}
      what={name}
      start={mayWrite ? withVersion(source.data.source, nextVersion(detail.data.versions)) : source.data.source}
      templates={templates.data}
      versions={detail.data.versions}
      mayWrite={mayWrite}
    />
  );
}
