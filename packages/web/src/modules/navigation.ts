import type { Permission } from '@berth/core/permissions';
import {
  ChartNoAxesColumn,
  LayoutDashboard,
  LayoutGrid,
  type LucideIcon,
  Rocket,
  ScrollText,
  Users,
} from 'lucide-react';
import { paths } from './paths.ts';

/** The places of a team: rail, bottom bar, palette and `g` shortcuts all read this. */
export interface Place {
  key: string;
  label: string;
  icon: LucideIcon;
  to: (teamId: string) => string;
  section: 'work' | 'team';
  permission: Permission;
  /** After `g`. */
  shortcut?: string;
  exact?: boolean;
}

export const PLACES: readonly Place[] = [
  {
    key: 'dashboard',
    label: 'Dashboard',
    icon: LayoutDashboard,
    to: paths.dashboard,
    section: 'work',
    permission: 'deployment:read',
    shortcut: 'd',
    exact: true,
  },
  {
    key: 'deployments',
    label: 'Deployments',
    icon: Rocket,
    to: paths.deployments,
    section: 'work',
    permission: 'deployment:read',
    shortcut: 'a',
  },
  {
    key: 'catalogue',
    label: 'Catalogue',
    icon: LayoutGrid,
    to: paths.catalogue,
    section: 'work',
    permission: 'template:read',
    shortcut: 'c',
  },
  {
    key: 'members',
    label: 'Members',
    icon: Users,
    to: paths.members,
    section: 'team',
    permission: 'team:read',
    shortcut: 'm',
  },
  {
    key: 'usage',
    label: 'Usage and plan',
    icon: ChartNoAxesColumn,
    to: paths.usage,
    section: 'team',
    permission: 'team:read',
    shortcut: 'u',
  },
  {
    key: 'audit',
    label: 'Audit',
    icon: ScrollText,
    to: paths.audit,
    section: 'team',
    permission: 'audit:read',
    shortcut: 'l',
  },
];
