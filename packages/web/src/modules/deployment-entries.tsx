import type { Deployment } from '@berth/core/deployment';
import type { Team } from '@berth/core/tenant';
import {
  ChartLine,
  Copy,
  ExternalLink,
  GitCommitHorizontal,
  KeyRound,
  type LucideIcon,
  Rocket,
  Scaling,
  ScrollText,
  Settings,
  SquareTerminal,
  Trash2,
  Undo2,
} from 'lucide-react';
import type { NavigateFunction } from 'react-router';
import { type ActionId, isReplaced, mayChange, mayDelete, possibleActions } from './deployment-actions.ts';
import { ACTION_ICONS } from './deployment-actions-bar.tsx';
import { TABS } from './deployment-tabs.tsx';
import { type PaletteItem, wordsFound } from './palette-search.ts';
import { DEPLOYMENT_TABS, type DeploymentTab, paths } from './paths.ts';
import { servingRevision } from './update-words.ts';
import type { PaletteEntry } from './use-palette-groups.tsx';

/** How many deployments offer their actions for what was typed. */
const MOST_DEPLOYMENTS = 24;

const TAB_LOOKS: Record<DeploymentTab, { icon: LucideIcon; words: string }> = {
  overview: { icon: Rocket, words: 'open show' },
  logs: { icon: ScrollText, words: 'output lines' },
  metrics: { icon: ChartLine, words: 'cpu memory requests charts' },
  shell: { icon: SquareTerminal, words: 'terminal exec console' },
  secrets: { icon: KeyRound, words: 'passwords' },
  history: { icon: GitCommitHorizontal, words: 'revisions rollback changes diff' },
  settings: { icon: Settings, words: 'edit values version addresses aliases' },
};

export interface EntryDeps {
  team: Team;
  navigate: NavigateFunction;
  run: (deployment: Deployment, action: ActionId) => Promise<void>;
}

/** Deployments whose actions fit what was typed: named by it, or else those that are at hand. */
export function candidates(deployments: readonly Deployment[], query: string, here: Deployment | undefined) {
  const named = deployments
    .map((deployment) => ({
      deployment,
      found: wordsFound(query, `${deployment.name} ${deployment.displayName ?? ''}`),
    }))
    .filter((each) => each.found > 0)
    .sort((a, b) => b.found - a.found)
    .map((each) => each.deployment);
  const found = named.length > 0 ? named : deployments;
  return [...new Set(here ? [here, ...found] : found)].slice(0, MOST_DEPLOYMENTS);
}

/** Everything that can be done with one deployment and every part of it that can be seen. */
export function deploymentEntries(deployment: Deployment, deps: EntryDeps): PaletteEntry[] {
  const { id, teamId, name } = deployment;
  const { team, navigate, run } = deps;
  const dialog = (which: string, more?: Record<string, string>) => () =>
    void navigate(paths.dialog(teamId, name, which, more));
  const entry = (item: Omit<PaletteItem, 'id'>, Icon: LucideIcon, act: () => void): PaletteEntry => ({
    ...item,
    id: `${item.label} ${id}`,
    icon: <Icon aria-hidden className="size-4" />,
    run: act,
  });
  const tabs = DEPLOYMENT_TABS.filter((each) => each !== 'overview' && (TABS[each].shows?.(team, deployment) ?? true));
  const serving = servingRevision(deployment);
  const changing = mayChange(deployment);
  return [
    ...possibleActions(deployment).map(
      (action): PaletteEntry => ({
        id: `${action.id} ${id}`,
        label:
          action.id === 'pause' || action.id === 'resume' ? `${action.label} of ${name}` : `${action.label} ${name}`,
        icon: ACTION_ICONS[action.id],
        // The deployment may be out of sight: a toast tells, and takes it back.
        run: () => void run(deployment, action.id),
      }),
    ),
    ...(changing && deployment.services.some((each) => !isReplaced(each))
      ? [entry({ label: `Scale ${name}…`, words: 'pods replicas' }, Scaling, dialog('scale'))]
      : []),
    ...(changing && serving !== undefined
      ? [entry({ label: `Roll back ${name} to ${serving}…` }, Undo2, dialog('rollback', { to: String(serving) }))]
      : []),
    ...tabs.map((tab) =>
      entry({ label: `${TABS[tab].words} of ${name}`, words: TAB_LOOKS[tab].words }, TAB_LOOKS[tab].icon, () => {
        void navigate(paths.deployment(teamId, name, tab));
      }),
    ),
    ...deployment.addresses.map(({ host, url }) =>
      entry({ label: `Open ${host}`, words: `${name} address` }, ExternalLink, () => {
        window.open(url, '_blank', 'noreferrer');
      }),
    ),
    ...(team.permissions.includes('deployment:create')
      ? [entry({ label: `Clone ${name}…`, words: 'copy' }, Copy, dialog('clone'))]
      : []),
    ...(mayDelete(deployment)
      ? [
          entry({ label: `Delete ${name}…`, words: 'remove' }, Trash2, () => {
            void navigate(paths.deleteDeployment(teamId, name));
          }),
        ]
      : []),
  ];
}
