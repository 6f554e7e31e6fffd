import type { Activity, Deployment } from '@berth/core/deployment';
import type { Team } from '@berth/core/tenant';
import { Link } from 'react-router';
import { Banner } from '../components/banner.tsx';
import { ButtonLink } from '../components/button.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { Tabs } from '../components/tabs.tsx';
import { DeploymentActions } from '../modules/deployment-actions-bar.tsx';
import { DeploymentAddress } from '../modules/deployment-address.tsx';
import { HistoryTab } from '../modules/history-tab.tsx';
import { LogsTab } from '../modules/logs-tab.tsx';
import type { Need } from '../modules/needs-you.ts';
import { OverviewTab } from '../modules/overview-tab.tsx';
import { DEPLOYMENT_TABS, type DeploymentTab, paths } from '../modules/paths.ts';
import { SecretsTab } from '../modules/secrets-tab.tsx';
import { SettingsTab } from '../modules/settings-tab.tsx';
import { StateBadge } from '../modules/state-badge.tsx';
import { usePendingActions } from '../modules/use-deployment-actions.ts';

const TAB_WORDS: Record<DeploymentTab, string> = {
  overview: 'Overview',
  logs: 'Logs',
  secrets: 'Secrets',
  history: 'History',
  settings: 'Settings',
};

export interface DeploymentPageViewProps {
  team: Team;
  deployment: Deployment;
  tab: DeploymentTab;
  activity: readonly Activity[];
  need: Need | undefined;
  /** The address shown, so that nothing offers to go where one is. */
  here: string;
}

export function DeploymentPageView(props: DeploymentPageViewProps) {
  const { team, deployment, tab, need, here } = props;
  const { name, permissions } = deployment;
  const pending = usePendingActions().get(deployment.id);
  const tabs = DEPLOYMENT_TABS.filter(
    (each) =>
      (each !== 'logs' || permissions.includes('deployment:logs')) &&
      (each !== 'secrets' || (team.permissions.includes('secret:read') && deployment.secrets.length > 0)),
  );
  const shown = tabs.includes(tab) ? tab : 'overview';
  return (
    <>
      <PageHeader
        title={name}
        place={shown === 'overview' ? team.name : `${TAB_WORDS[shown]} · ${team.name}`}
        before={
          <Link to={paths.deployments(team.id)} className="text-muted hover:text-text">
            Deployments /
          </Link>
        }
        beside={
          <>
            <span aria-live="polite">
              <StateBadge deployment={deployment} pending={pending} />
            </span>
            <DeploymentAddress deployment={deployment} tag />
          </>
        }
        actions={<DeploymentActions deployment={deployment} />}
      />
      {need && (
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
          label: TAB_WORDS[each],
          current: each === shown,
        }))}
      />
      <TabContents {...props} tab={shown} />
    </>
  );
}

function TabContents({ team, deployment, tab, activity }: DeploymentPageViewProps) {
  switch (tab) {
    case 'overview':
      return <OverviewTab deployment={deployment} activity={activity} />;
    case 'logs':
      return <LogsTab deployment={deployment} />;
    case 'secrets':
      return <SecretsTab deployment={deployment} mayWrite={team.permissions.includes('secret:write')} />;
    case 'history':
      return <HistoryTab deployment={deployment} />;
    case 'settings':
      return <SettingsTab deployment={deployment} />;
  }
}
