import type { TeamRole } from '@berth/core/permissions';

export const TEAM_ROLE_WORDS: Record<TeamRole, { label: string; may: string }> = {
  team_admin: { label: 'Admin', may: 'Deploys, manages members and reads the audit log.' },
  developer: { label: 'Developer', may: 'Deploys, changes and deletes deployments and sets secrets.' },
  viewer: { label: 'Viewer', may: 'Sees deployments and reads logs.' },
};
