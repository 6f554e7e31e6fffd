import type { Activity, Deployment } from '@berth/core/deployment';
import type { Team } from '@berth/core/tenant';
import { Suspense } from 'react';
import { Link } from 'react-router';
import { Banner } from '../components/banner.tsx';
import { ButtonLink } from '../components/button.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { Panel } from '../components/panel.tsx';
import { SkeletonRows } from '../components/skeleton.tsx';
import { Tabs } from '../components/tabs.tsx';
import { DeploymentActions } from '../modules/deployment-actions-bar.tsx';
import { DeploymentAddress } from '../modules/deployment-address.tsx';
import { DeploymentDialogs } from '../modules/deployment-dialogs.tsx';
import { TABS } from '../modules/deployment-tabs.tsx';
import type { Need } from '../modules/needs-you.ts';
import { DEPLOYMENT_TABS, type DeploymentTab, paths } from '../modules/paths.ts';
import { RenameField } from '../modules/rename-field.tsx';
import { StateBadge } from '../modules/state-badge.tsx';
import { UpdateBanner } from '../modules/update-banner.tsx';
import { updateNewsOf } from '../modules/update-words.ts';
import { usePendingActions } from '../modules/use-deployment-actions.ts';

export interface DeploymentPageViewProps {
  team: Team;
  deployment: Deployment;
  tab: DeploymentTab;
  /** What follows the tab in the address. */
  part: string;
  activity: readonly Activity[];
  need: Need | undefined;
  /** The address shown, so that nothing offers to go where one is. */
  here: string;
}

export function DeploymentPageView(props: DeploymentPageViewProps) {
  const { team, deployment, tab, part, activity, need, here } = props;
  const { name } = deployment;
  const pending = usePendingActions().get(deployment.id);
  const tabs = DEPLOYMENT_TABS.filter((each) => TABS[each].shows?.(team, deployment) ?? true);
  const shown = tabs.includes(tab) ? tab : 'overview';
  const { Contents } = TABS[shown];
  const news = updateNewsOf(deployment);
  return (
    <>
      <PageHeader
        title={name}
        place={shown === 'overview' ? team.name : `${TABS[shown].words} · ${team.name}`}
        before={
          <Link to={paths.deployments(team.id)} className="text-muted hover:text-text">
            Deployments /
          </Link>
        }
        beside={
          <>
            <RenameField deployment={deployment} />
            <span aria-live="polite">
              <StateBadge deployment={deployment} pending={pending} />
            </span>
            <DeploymentAddress deployment={deployment} tag />
          </>
        }
        actions={<DeploymentActions deployment={deployment} />}
      />
      {news && <UpdateBanner deployment={deployment} news={news} brief={shown !== 'overview'} />}
      {need && need.about !== 'update' && (
        <Banner
          className="mb-3"
          tone={need.tone}
          title={`${need.subject} ${need.sentence}`}
          action={
            need.action.to !== here && (
              <ButtonLink look="link" to={need.action.to}>
                {need.action.label}
              </ButtonLink>
            )
          }
        >
          {need.cause}
        </Banner>
      )}
      <Tabs
        label={`Parts of ${name}`}
        tabs={tabs.map((each) => ({
          to: paths.deployment(team.id, name, each),
          label: TABS[each].words,
          current: each === shown,
        }))}
      />
      <Suspense fallback={<TabLoading />}>
        <Contents team={team} deployment={deployment} activity={activity} part={shown === tab ? part : ''} />
      </Suspense>
      <DeploymentDialogs deployment={deployment} />
    </>
  );
}

function TabLoading() {
  return (
    <Panel>
      <SkeletonRows rows={5} label="Loading this part" />
    </Panel>
  );
}
