import type { Permission } from '@berth/core/permissions';
import type { Me, Team } from '@berth/core/tenant';
import { createContext, useContext } from 'react';

/** Who is signed in and which team the address names. Set by `TeamLayout`; everything under it has both. */
export interface TeamContext {
  me: Me;
  team: Team;
}

export const TeamReact = createContext<TeamContext | undefined>(undefined);

export function useTeam(): TeamContext & { may: (permission: Permission) => boolean } {
  const context = useContext(TeamReact);
  if (!context) throw new Error('useTeam needs a TeamLayout around it');
  return { ...context, may: (permission) => context.team.permissions.includes(permission) };
}

const KEY = 'berth.team';

/** The team to open at `/`: the last one that was open, else the first. */
export function rememberedTeam(me: Me): Team | undefined {
  let stored: string | null = null;
  try {
    stored = localStorage.getItem(KEY);
  } catch {
    stored = null; // Storage is switched off.
  }
  return me.teams.find((team) => team.id === stored) ?? me.teams[0];
}

export function rememberTeam(teamId: string): void {
  try {
    localStorage.setItem(KEY, teamId);
  } catch {
    return; // As above.
  }
}
