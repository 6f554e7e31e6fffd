import type { Activity, Deployment } from '@berth/core/deployment';
import type { Team } from '@berth/core/tenant';
import { type ComponentType, lazy } from 'react';
import type { DeploymentTab } from './paths.ts';

/** What a tab of a deployment gets; each takes of it what it needs. */
export interface DeploymentTabProps {
  team: Team;
  deployment: Deployment;
  /** What happened to it lately, newest first. */
  activity: readonly Activity[];
  /** The address under the tab's own: a revision. */
  part: string;
}

interface TabOfDeployment {
  words: string;
  /** Whether this person sees it on this deployment. */
  shows?: (team: Team, deployment: Deployment) => boolean;
  Contents: ComponentType<DeploymentTabProps>;
  /** Fetches it before it is asked for. */
  load: () => Promise<unknown>;
}

/** The tabs, each a chunk of its own that comes when it is opened. */
export const TABS: Record<DeploymentTab, TabOfDeployment> = {
  overview: tab('Overview', () => import('./overview-tab.tsx').then((module) => module.OverviewTab)),
  logs: {
    ...tab('Logs', () => import('./logs-tab.tsx').then((module) => module.LogsTab)),
    shows: (_, { permissions }) => permissions.includes('deployment:logs'),
  },
  metrics: tab('Metrics', () => import('./metrics-tab.tsx').then((module) => module.MetricsTab)),
  shell: tab('Shell', () => import('./shell-tab.tsx').then((module) => module.ShellTab)),
  secrets: {
    ...tab('Secrets', () => import('./secrets-tab.tsx').then((module) => module.SecretsTab)),
    shows: (team, { secrets }) => team.permissions.includes('secret:read') && secrets.length > 0,
  },
  history: tab('History', () => import('./history-tab.tsx').then((module) => module.HistoryTab)),
  settings: tab('Settings', () => import('./settings-tab.tsx').then((module) => module.SettingsTab)),
};

function tab(words: string, load: () => Promise<ComponentType<DeploymentTabProps>>): TabOfDeployment {
  return { words, load, Contents: lazy(async () => ({ default: await load() })) };
}
