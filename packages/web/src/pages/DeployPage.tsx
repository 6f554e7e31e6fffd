import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useParams } from 'react-router';
import { isProblem } from '../api/problem.ts';
import { configQuery } from '../api/queries/account.ts';
import { templateQuery } from '../api/queries/template.ts';
import { PageHeader } from '../components/page-header.tsx';
import { Skeleton } from '../components/skeleton.tsx';
import { ErrorPanel } from '../modules/error-panel.tsx';
import { useLive } from '../modules/live-provider.tsx';
import { useTeam } from '../modules/team-context.ts';
import { DeployPageView } from './DeployPageView.tsx';
import { NotFoundPage } from './NotFoundPage.tsx';

export function DeployPage() {
  const { template: name = '' } = useParams();
  const { team, may } = useTeam();
  const template = useQuery(templateQuery(team.id, name));
  const config = useQuery(configQuery);
  const live = useLive(team.id);
  const names = live.deployments.map((each) => each.name).join(' ');
  const takenNames = useMemo(() => new Set(names.split(' ')), [names]);
  if (isProblem(template.error, 'not_found')) return <NotFoundPage what="template" />;
  const error = template.error ?? config.error;
  if (error) {
    return (
      <>
        <PageHeader title="Deploy" place={team.name} />
        <ErrorPanel what="The template" error={error} retry={() => void template.refetch()} />
      </>
    );
  }
  // The names that are taken decide which name is filled in, so the form waits for them.
  if (!template.data || !config.data || !live.loaded) {
    return (
      <div role="status" aria-label="Loading the form" className="grid max-w-[560px] gap-6">
        <Skeleton className="h-6 w-52" />
        {['a', 'b', 'c', 'd'].map((key) => (
          <Skeleton key={key} className="h-12 w-full" />
        ))}
      </div>
    );
  }
  return (
    <DeployPageView
      key={name}
      team={team}
      template={template.data}
      config={config.data}
      takenNames={takenNames}
      mayDeploy={may('deployment:create')}
    />
  );
}
