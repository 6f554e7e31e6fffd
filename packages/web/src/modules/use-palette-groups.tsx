import type { Deployment } from '@berth/core/deployment';
import { useQuery } from '@tanstack/react-query';
import {
  CircleHelp,
  CircleStop,
  KeyRound,
  LogOut,
  Moon,
  Pause,
  Play,
  Plus,
  Rocket,
  RotateCw,
  Rows3,
  ScrollText,
  Sun,
  SunMoon,
  Trash2,
  Users,
} from 'lucide-react';
import type { ReactNode } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { templatesQuery } from '../api/queries/template.ts';
import { useFeedback } from '../components/feedback.tsx';
import { setAppearance, useAppearance } from './appearance.ts';
import { type ActionId, mayDelete, possibleActions } from './deployment-actions.ts';
import { stateOf } from './deployment-state.ts';
import { useLive } from './live-provider.tsx';
import { PLACES } from './navigation.ts';
import { openShortcuts } from './overlays.ts';
import type { PaletteItem } from './palette-search.ts';
import { paths } from './paths.ts';
import { useTeam } from './team-context.ts';
import { useRunAction } from './use-deployment-actions.ts';
import { useSignOut } from './use-sign-out.ts';

export interface PaletteEntry extends PaletteItem {
  icon: ReactNode;
  detail?: string;
  /** Also shown before anything is typed. */
  always?: boolean;
  run: () => void;
}
export interface PaletteGroup {
  label: string;
  entries: PaletteEntry[];
}

const ICON = 'size-4';
const ACTION_ICONS: Record<ActionId, ReactNode> = {
  stop: <CircleStop aria-hidden className={ICON} />,
  start: <Play aria-hidden className={ICON} />,
  restart: <RotateCw aria-hidden className={ICON} />,
  pause: <Pause aria-hidden className={ICON} />,
  resume: <Play aria-hidden className={ICON} />,
};

/** Everything the palette reaches, by kind. */
export function usePaletteGroups(): PaletteGroup[] {
  const { me, team, may } = useTeam();
  const { deployments } = useLive(team.id);
  const templates = useQuery({ ...templatesQuery(team.id), enabled: may('deployment:create') });
  const navigate = useNavigate();
  const go = (to: string) => () => void navigate(to);
  const actions = useDeploymentEntries(deployments);
  const general = useGeneralEntries();
  return [
    {
      label: 'Go to',
      entries: PLACES.filter((place) => may(place.permission)).map(({ key, label, icon: Icon, to }) => ({
        id: `place ${key}`,
        label,
        icon: <Icon aria-hidden className={ICON} />,
        always: true,
        run: go(to(team.id)),
      })),
    },
    {
      label: 'Deployments',
      entries: deployments.map((each, index) => ({
        id: `deployment ${each.id}`,
        label: each.name,
        words: `${each.displayName ?? ''} ${each.host ?? ''}`,
        detail: stateOf(each).words,
        icon: <Rocket aria-hidden className={ICON} />,
        always: index < 5,
        run: go(paths.deployment(team.id, each.name)),
      })),
    },
    // After the deployments: who types a name and presses Enter wants to see it, not to restart it.
    { label: 'Actions', entries: actions },
    {
      label: 'Deploy',
      entries: (templates.data ?? []).map((each) => ({
        id: `template ${each.name}`,
        label: `Deploy ${each.displayName}`,
        words: each.description,
        icon: <Plus aria-hidden className={ICON} />,
        run: go(paths.deploy(team.id, each.name)),
      })),
    },
    {
      label: 'Teams',
      entries: me.teams
        .filter((each) => each.id !== team.id)
        .map((each) => ({
          id: `team ${each.id}`,
          label: `Switch to ${each.name}`,
          detail: each.organizationName,
          icon: <Users aria-hidden className={ICON} />,
          run: go(paths.dashboard(each.id)),
        })),
    },
    { label: 'You', entries: general },
  ];
}

function useDeploymentEntries(deployments: readonly Deployment[]): PaletteEntry[] {
  const navigate = useNavigate();
  const run = useRunAction();
  const { toast } = useFeedback();
  const { pathname } = useLocation();
  return deployments.flatMap((deployment): PaletteEntry[] => {
    const { id, teamId, name } = deployment;
    // On a deployment's own page its actions are at hand at once.
    const always = `${pathname}/`.startsWith(`${paths.deployment(teamId, name)}/`);
    const ofActions = possibleActions(deployment).map((action): PaletteEntry => {
      const undo = action.undo;
      return {
        id: `${action.id} ${id}`,
        label: `${action.label} ${name}`,
        icon: ACTION_ICONS[action.id],
        // The deployment may be out of sight: a toast tells, and takes it back.
        run: async () => {
          if (!(await run(deployment, action.id))) return;
          const text = `${action.doing} ${name}`;
          toast({ tone: 'ok', text, action: undo && { label: 'Undo', run: () => void run(deployment, undo) } });
        },
      };
    });
    const links: PaletteEntry[] = [];
    if (deployment.permissions.includes('deployment:logs')) {
      links.push({
        id: `logs ${id}`,
        label: `Logs of ${name}`,
        icon: <ScrollText aria-hidden className={ICON} />,
        run: () => void navigate(paths.deployment(teamId, name, 'logs')),
      });
    }
    if (mayDelete(deployment)) {
      links.push({
        id: `delete ${id}`,
        label: `Delete ${name}…`,
        icon: <Trash2 aria-hidden className={ICON} />,
        run: () => void navigate(paths.deleteDeployment(teamId, name)),
      });
    }
    return [...ofActions, ...links].map((entry) => ({ ...entry, always }));
  });
}

function useGeneralEntries(): PaletteEntry[] {
  const { team } = useTeam();
  const { density } = useAppearance();
  const navigate = useNavigate();
  const signOut = useSignOut();
  return [
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
