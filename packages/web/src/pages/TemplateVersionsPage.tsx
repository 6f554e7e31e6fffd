import { useQuery } from '@tanstack/react-query';
import { useParams } from 'react-router';
import { isProblem } from '../api/problem.ts';
import { templateQuery, templateSourceQuery } from '../api/queries/template.ts';
import { PageHeader } from '../components/page-header.tsx';
import { Panel } from '../components/panel.tsx';
import { SkeletonRows } from '../components/skeleton.tsx';
import { ErrorPanel } from '../modules/error-panel.tsx';
import { useTeam } from '../modules/team-context.ts';
import { useUrlState } from '../modules/use-url-state.ts';
import { NotFoundPage } from './NotFoundPage.tsx';
import { TemplateVersionsPageView } from './TemplateVersionsPageView.tsx';

/** Every version of a template as it was written, alone or against another; both stand in the address. */
export function TemplateVersionsPage() {
  const { template: name = '' } = useParams();
  const { team } = useTeam();
  const [asked, setVersion] = useUrlState('version');
  const [against, setAgainst] = useUrlState('against');
  const detail = useQuery(templateQuery(team.id, name));
  const versions = detail.data?.versions ?? [];
  const version = versions.includes(asked) ? asked : versions[0];
  const other = versions.includes(against) && against !== version ? against : '';
  const source = useQuery({ ...templateSourceQuery(team.id, name, version), enabled: version !== undefined });
  const compared = useQuery({ ...templateSourceQuery(team.id, name, other), enabled: other !== '' });
  const error = detail.error ?? source.error ?? compared.error;
  if (isProblem(error, 'not_found')) return <NotFoundPage what="template" />;
  if (error || !detail.data || version === undefined) {
    return (
      <>
        <PageHeader title={`Versions of ${name}`} place={team.name} />
        {error ? (
          <ErrorPanel what="The versions" error={error} retry={() => void detail.refetch()} />
        ) : (
          <Panel>
            <SkeletonRows rows={6} label="Loading the versions" />
          </Panel>
        )}
      </>
    );
  }
  return (
    <TemplateVersionsPageView
      team={team}
      template={detail.data}
      version={version}
      against={other}
      source={source.data?.source}
      compared={other === '' ? undefined : compared.data?.source}
      onVersion={setVersion}
      onAgainst={setAgainst}
    />
  );
}
