import type { Deployment, Usage } from '@berth/core/deployment';
import type { TemplateSummary } from '@berth/core/routes/template-routes';
import type { Team } from '@berth/core/tenant';
import { Link } from 'react-router';
import { ButtonLink } from '../components/button.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { Panel } from '../components/panel.tsx';
import { SkeletonRows } from '../components/skeleton.tsx';
import { ActivityList } from '../modules/activity-list.tsx';
import { isNews } from '../modules/activity-words.ts';
import { DeploymentHeads, DeploymentRow } from '../modules/deployment-row.tsx';
import { ErrorPanel } from '../modules/error-panel.tsx';
import type { Live } from '../modules/live-provider.tsx';
import type { Need } from '../modules/needs-you.ts';
import { NeedsYouPanel } from '../modules/needs-you-panel.tsx';
import { paths } from '../modules/paths.ts';
import { TemplateCard } from '../modules/template-card.tsx';
import { UsageTiles } from '../modules/usage-tiles.tsx';
import { usePendingActions } from '../modules/use-deployment-actions.ts';

const ROWS = 10;
const ACTIVITY = 8;

export interface DashboardPageViewProps {
  team: Team;
  mayDeploy: boolean;
  live: Live;
  /** How fresh it is: `live`, `connecting`, `reconnecting`. */
  liveWord: string;
  usage: Usage | undefined;
  needs: readonly Need[];
  templates: readonly TemplateSummary[] | undefined;
}

export function DashboardPageView(props: DashboardPageViewProps) {
  const { team, mayDeploy, live, liveWord, usage, needs } = props;
  const news = live.activity.filter(isNews);
  return (
    <>
      <PageHeader
        title="Dashboard"
        place={team.name}
        actions={
          mayDeploy && (
            <ButtonLink look="primary" to={paths.catalogue(team.id)}>
              Deploy
            </ButtonLink>
          )
        }
      />
      <div className="grid items-start gap-3.5 huge:grid-cols-[minmax(0,1.65fr)_minmax(0,1fr)]">
        <div className="grid min-w-0 gap-3.5">
          <NeedsYouPanel needs={needs} />
          <Panel title="Deployments" aside={<span className="text-faint">{liveWord}</span>}>
            <DeploymentsPart {...props} />
          </Panel>
        </div>
        <div className="grid min-w-0 gap-3.5">
          <UsageTiles usage={usage} />
          <Panel title="What happened">
            {!live.loaded && <SkeletonRows rows={3} label="Loading what happened" />}
            {live.loaded && news.length === 0 && (
              <p className="px-3.5 py-3 text-muted">Nothing yet. Deploys, changes and failures will stand here.</p>
            )}
            {news.length > 0 && <ActivityList activity={news.slice(0, ACTIVITY)} names />}
          </Panel>
        </div>
      </div>
    </>
  );
}

function DeploymentsPart({ team, mayDeploy, live, templates }: DashboardPageViewProps) {
  const pending = usePendingActions();
  if (live.error) {
    return (
      <div className="p-3.5">
        <ErrorPanel what="The deployments" error={live.error} retry={live.retry} />
      </div>
    );
  }
  if (!live.loaded) return <SkeletonRows rows={5} label="Loading deployments" />;
  if (live.deployments.length === 0) {
    return (
      <>
        <EmptyState title="Nothing runs here yet">
          A deployment is an app from the catalogue with its own address, volumes and secrets.
          {mayDeploy ? ' Pick one to begin:' : ' Ask an admin of the team for the right to deploy.'}
        </EmptyState>
        {mayDeploy && (
          <div className="grid gap-3.5 px-3.5 pb-3.5 phone:grid-cols-2">
            {templates?.slice(0, 4).map((template) => (
              <TemplateCard key={template.name} template={template} teamId={team.id} level={3} />
            ))}
          </div>
        )}
      </>
    );
  }
  const shown = recentFirst(live.deployments).slice(0, ROWS);
  return (
    <>
      <table className="data-table">
        <caption className="sr-only">Deployments, last changed first</caption>
        <thead>
          <DeploymentHeads />
        </thead>
        <tbody>
          {shown.map((deployment) => (
            <DeploymentRow key={deployment.id} deployment={deployment} pending={pending.get(deployment.id)} compact />
          ))}
        </tbody>
      </table>
      {live.deployments.length > shown.length && (
        <p className="border-t border-line px-3.5 py-2.5">
          <Link className="font-medium text-accent hover:underline" to={paths.deployments(team.id)}>
            All {live.deployments.length} deployments
          </Link>
        </p>
      )}
    </>
  );
}

function recentFirst(deployments: readonly Deployment[]): Deployment[] {
  return deployments.toSorted((a, b) => Date.parse(b.updatedAt) - Date.parse(a.updatedAt));
}
