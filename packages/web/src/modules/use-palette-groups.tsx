import type { Deployment } from '@berth/core/deployment';
import { useQuery } from '@tanstack/react-query';
import { CircleHelp, FilePlus, KeyRound, LogOut, Moon, Plus, Rocket, Rows3, Sun, SunMoon, Users } from 'lucide-react';
import type { ReactNode } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { templatesQuery } from '../api/queries/template.ts';
import { setAppearance, useAppearance } from './appearance.ts';
import { candidates, deploymentEntries } from './deployment-entries.tsx';
import { stateOf } from './deployment-state.ts';
import { useLive } from './live-provider.tsx';
import { PLACES } from './navigation.ts';
import { openShortcuts } from './overlays.ts';
import { bestMatches, type PaletteItem } from './palette-search.ts';
import { paths } from './paths.ts';
import { useTeam } from './team-context.ts';
import { useRunWithToast } from './use-deployment-actions.ts';
import { useSignOut } from './use-sign-out.ts';

export interface PaletteEntry extends PaletteItem {
  icon: ReactNode;
  detail?: string;
  run: () => void;
}
export interface PaletteGroup {
  label: string;
  /** What fits, best first; before anything is typed, what is most at hand. */
  find: (query: string) => readonly PaletteEntry[];
}

const ICON = 'size-4';
const MOST_PER_GROUP = 7;
const MOST_ACTIONS = 10;
const DEPLOYMENTS_AT_HAND = 5;

/** Everything the palette reaches, by kind. */
export function usePaletteGroups(): PaletteGroup[] {
  const { me, team, may } = useTeam();
  const templates = useQuery({ ...templatesQuery(team.id), enabled: may('deployment:create') });
  const navigate = useNavigate();
  const go = (to: string) => () => void navigate(to);
  const ofDeployments = useDeploymentGroups();
  const general = useGeneralEntries();
  const places = PLACES.filter((place) => may(place.permission)).map(({ key, label, icon: Icon, to }) => ({
    id: `place ${key}`,
    label,
    icon: <Icon aria-hidden className={ICON} />,
    run: go(to(team.id)),
  }));
  const deploys = (templates.data ?? []).map((each) => ({
    id: `template ${each.name}`,
    label: `Deploy ${each.displayName}`,
    words: each.description,
    icon: <Plus aria-hidden className={ICON} />,
    run: go(paths.deploy(team.id, each.name)),
  }));
  const teams = me.teams
    .filter((each) => each.id !== team.id)
    .map((each) => ({
      id: `team ${each.id}`,
      label: `Switch to ${each.name}`,
      words: `team ${each.organizationName}`,
      detail: each.organizationName,
      icon: <Users aria-hidden className={ICON} />,
      run: go(paths.dashboard(each.id)),
    }));
  return [
    ...ofDeployments.first,
    group('Go to', places, places),
    ...ofDeployments.rest,
    group('Deploy', deploys),
    group('Teams', teams),
    group('You', general),
  ];
}

function group(label: string, entries: readonly PaletteEntry[], always: readonly PaletteEntry[] = []): PaletteGroup {
  return { label, find: (query) => (query.trim() === '' ? always : bestMatches(entries, query, MOST_PER_GROUP)) };
}

/** Deployments and what can be done with them. On a deployment's own page its actions come first, before anything is typed. */
function useDeploymentGroups(): { first: PaletteGroup[]; rest: PaletteGroup[] } {
  const { team } = useTeam();
  const { deployments } = useLive(team.id);
  const navigate = useNavigate();
  const run = useRunWithToast();
  const { pathname } = useLocation();
  const here = deployments.find((each) => `${pathname}/`.startsWith(`${paths.deployment(team.id, each.name)}/`));
  const entriesOf = (deployment: Deployment) => deploymentEntries(deployment, { team, navigate, run });
  const openEntry = (deployment: Deployment): PaletteEntry => ({
    id: `deployment ${deployment.id}`,
    label: deployment.name,
    words: `${deployment.displayName ?? ''} ${deployment.host ?? ''}`,
    detail: stateOf(deployment).words,
    icon: <Rocket aria-hidden className={ICON} />,
    run: () => void navigate(paths.deployment(team.id, deployment.name)),
  });
  return {
    first: here ? [{ label: here.name, find: (query) => (query.trim() === '' ? entriesOf(here) : []) }] : [],
    rest: [
      {
        label: 'Deployments',
        find: (query) => {
          if (query.trim() === '') return deployments.slice(0, DEPLOYMENTS_AT_HAND).map(openEntry);
          const items = deployments.map((deployment) => ({
            id: deployment.id,
            label: deployment.name,
            words: `${deployment.displayName ?? ''} ${deployment.host ?? ''}`,
            deployment,
          }));
          return bestMatches(items, query, MOST_PER_GROUP).map((each) => openEntry(each.deployment));
        },
      },
      // After the deployments: who types a name and presses Enter wants to see it, not to restart it.
      {
        label: 'Actions',
        find: (query) =>
          query.trim() === ''
            ? []
            : bestMatches(candidates(deployments, query, here).flatMap(entriesOf), query, MOST_ACTIONS),
      },
    ],
  };
}

function useGeneralEntries(): PaletteEntry[] {
  const { team, may } = useTeam();
  const { density } = useAppearance();
  const navigate = useNavigate();
  const signOut = useSignOut();
  return [
    ...(may('template:write')
      ? [
          {
            id: 'new-template',
            label: 'Write a template',
            words: 'new create yaml editor',
            icon: <FilePlus aria-hidden className={ICON} />,
            run: () => void navigate(paths.newTemplate(team.id)),
          },
        ]
      : []),
    {
      id: 'account',
      label: 'API tokens and account',
      words: 'password',
      icon: <KeyRound aria-hidden className={ICON} />,
      run: () => void navigate(paths.account(team.id)),
    },
    {
      id: 'theme light',
      label: 'Light theme',
      icon: <Sun aria-hidden className={ICON} />,
      run: () => setAppearance({ theme: 'light' }),
    },
    {
      id: 'theme dark',
      label: 'Dark theme',
      icon: <Moon aria-hidden className={ICON} />,
      run: () => setAppearance({ theme: 'dark' }),
    },
    {
      id: 'theme system',
      label: 'Theme of the system',
      icon: <SunMoon aria-hidden className={ICON} />,
      run: () => setAppearance({ theme: 'system' }),
    },
    {
      id: 'density',
      label: density === 'dense' ? 'Roomy rows' : 'Dense rows',
      icon: <Rows3 aria-hidden className={ICON} />,
      run: () => setAppearance({ density: density === 'dense' ? 'normal' : 'dense' }),
    },
    {
      id: 'shortcuts',
      label: 'Keyboard shortcuts',
      icon: <CircleHelp aria-hidden className={ICON} />,
      run: openShortcuts,
    },
    { id: 'sign-out', label: 'Sign out', icon: <LogOut aria-hidden className={ICON} />, run: () => void signOut() },
  ];
}
