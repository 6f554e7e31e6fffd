import type { Deployment } from '@berth/core/deployment';
import { useRef } from 'react';
import { useLocation, useParams } from 'react-router';
import { ButtonLink } from '../components/button.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { Skeleton } from '../components/skeleton.tsx';
import { useNow } from '../components/use-now.ts';
import { ErrorPanel } from '../modules/error-panel.tsx';
import { useLive } from '../modules/live-provider.tsx';
import { needOfDeployment } from '../modules/needs-you.ts';
import { DEPLOYMENT_TABS, type DeploymentTab, paths } from '../modules/paths.ts';
import { useTeam } from '../modules/team-context.ts';
import { DeploymentPageView } from './DeploymentPageView.tsx';
import { NotFoundPage } from './NotFoundPage.tsx';

export function DeploymentPage() {
  const { name = '' } = useParams();
  const { team } = useTeam();
  const { pathname, search } = useLocation();
  const live = useLive(team.id);
  const now = useNow();
  const deployment = live.deployments.find((each) => each.name === name);
  const seen = useRef<Deployment>(undefined);
  if (deployment) seen.current = deployment;

  if (live.error) return <ErrorPanel what="The deployment" error={live.error} retry={live.retry} />;
  if (!live.loaded) return <Loading />;
  if (!deployment) {
    return seen.current?.name === name ? <Gone name={name} teamId={team.id} /> : <NotFoundPage what="deployment" />;
  }
  const [tab = '', part = ''] = pathname.slice(paths.deployment(team.id, name).length + 1).split('/');
  return (
    <DeploymentPageView
      key={deployment.id}
      team={team}
      deployment={deployment}
      tab={isTab(tab) ? tab : 'overview'}
      part={part}
      activity={live.activity.filter((each) => each.deployment === name)}
      need={needOfDeployment(deployment, now)}
      here={pathname + search}
    />
  );
}

/** Its page was open when it went. */
function Gone({ name, teamId }: { name: string; teamId: string }) {
  return (
    <>
      <PageHeader title={name} />
      <EmptyState
        title={`${name} is deleted`}
        action={
          <ButtonLink look="primary" to={paths.deployments(teamId)}>
            All deployments
          </ButtonLink>
        }
      >
        Its services, volumes, secrets and address are gone. The audit log keeps who did it and when.
      </EmptyState>
    </>
  );
}

function Loading() {
  return (
    <div role="status" aria-label="Loading the deployment">
      <Skeleton className="my-1.5 mb-6 h-5 w-56" />
      <Skeleton className="mb-5 h-4 w-80" />
      <Skeleton className="h-52 w-full rounded-panel!" />
    </div>
  );
}

function isTab(text: string): text is DeploymentTab {
  return (DEPLOYMENT_TABS as readonly string[]).includes(text);
}
