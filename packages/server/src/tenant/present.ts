import { type Permission, permissionsOf } from '@berth/core/permissions';
import type { Organization, Team } from '@berth/core/tenant';
import type { OrganizationRow, TeamRow } from './repository.ts';

export function presentOrganization(row: OrganizationRow): Organization {
  return { ...row, createdAt: row.createdAt.toISOString() };
}

export function presentTeam({ organizationRole, ...row }: TeamRow): Team {
  const roles = [row.role, organizationRole].filter((role) => role !== undefined);
  return {
    ...row,
    permissions: [...permissionsOf(roles)].filter(isOfTeam),
    createdAt: row.createdAt.toISOString(),
  };
}

/** An owner's rights over the organization are told with the organization. */
function isOfTeam(permission: Permission): boolean {
  return !permission.startsWith('organization:') && permission !== 'team:create';
}
