import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { templateSourceQuery, templatesQuery } from '../api/queries/template.ts';
import { PageHeader } from '../components/page-header.tsx';
import { ErrorPanel } from '../modules/error-panel.tsx';
import { paths } from '../modules/paths.ts';
import { useTeam } from '../modules/team-context.ts';
import { BLANK_TEMPLATE, withName, withVersion } from '../modules/template-text.ts';
import { useUrlState } from '../modules/use-url-state.ts';
import { NewTemplateStarts } from './NewTemplateStarts.tsx';
import { TemplateEditorLoading, TemplateEditorPageView } from './TemplateEditorPageView.tsx';

const BLANK = 'blank';

/** Where to begin stands in the address; then the editor opens with it. */
export function NewTemplatePage() {
  const { team, may } = useTeam();
  const [from] = useUrlState('from');
  const templates = useQuery(templatesQuery(team.id));
  const source = useQuery({ ...templateSourceQuery(team.id, from), enabled: from !== '' && from !== BLANK });
  const error = templates.error ?? source.error;
  const before = (
    <Link to={paths.catalogue(team.id)} className="text-muted hover:text-text">
      Catalogue /
    </Link>
  );
  if (error) {
    return (
      <>
        <PageHeader title="New template" place={team.name} before={before} />
        <ErrorPanel what="The template to begin with" error={error} retry={() => void source.refetch()} />
      </>
    );
  }
  if (!templates.data) return <TemplateEditorLoading />;
  if (from === '') {
    return (
      <>
        <PageHeader title="New template" place={team.name} before={before} />
        <NewTemplateStarts team={team} templates={templates.data} />
      </>
    );
  }
  if (from !== BLANK && !source.data) return <TemplateEditorLoading />;
  const start = source.data ? withVersion(withName(source.data.source, `${from}-copy`), '1.0.0') : BLANK_TEMPLATE;
  return (
    <TemplateEditorPageView
      key={from}
      team={team}
      title="New template"
      what={`new.${from}`}
      start={start}
      templates={templates.data}
      versions={[]}
      mayWrite={may('template:write')}
    />
  );
}
