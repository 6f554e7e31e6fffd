import { z } from 'zod';

/** Roles and what each may do. The routes name the permission; this table says who holds it. */
export const PERMISSIONS = {
  'organization:read': 'see the organization',
  'organization:update': "change the organization's name",
  'organization:billing': 'see invoices',
  'team:create': 'make teams',
  'team:read': 'see the team and its members',
  'team:members': 'invite, remove and change the roles of members',
  'deployment:read': 'see deployments, their state and events',
  'deployment:create': 'make deployments',
  'deployment:update': 'edit, stop, start and restart deployments',
  'deployment:delete': 'delete deployments with their volumes and secrets',
  'deployment:logs': 'read logs',
  'deployment:exec': 'open shells in services and forward their ports',
  'secret:read': 'see which secrets exist (never their values)',
  'secret:write': 'set and remove secrets',
  'template:read': 'see templates',
  'template:write': "write and retire the team's own templates",
  'audit:read': 'read the audit log',
  'token:manage': "make and revoke one's own API tokens",
  'self:read': 'see who one is signed in as',
  'platform:admin': 'manage the platform: every organization, plan and account',
} as const;
export type Permission = keyof typeof PERMISSIONS;

export const TEAM_ROLES = ['team_admin', 'developer', 'viewer'] as const;
export const ORGANIZATION_ROLES = ['org_owner', 'org_admin', 'org_member'] as const;
export const PLATFORM_ROLES = ['platform_admin'] as const;
export type TeamRole = (typeof TEAM_ROLES)[number];
export type OrganizationRole = (typeof ORGANIZATION_ROLES)[number];
export type PlatformRole = (typeof PLATFORM_ROLES)[number];
export type Role = TeamRole | OrganizationRole | PlatformRole;

export const teamRoleSchema = z.enum(TEAM_ROLES);
export const organizationRoleSchema = z.enum(ORGANIZATION_ROLES);
export const permissionSchema = z.enum(Object.keys(PERMISSIONS) as [Permission, ...Permission[]]);

const VIEWER: readonly Permission[] = ['team:read', 'deployment:read', 'deployment:logs', 'template:read'];
const DEVELOPER: readonly Permission[] = [
  ...VIEWER,
  'deployment:create',
  'deployment:update',
  'deployment:delete',
  'deployment:exec',
  'secret:read',
  'secret:write',
];
const TEAM_ADMIN: readonly Permission[] = [...DEVELOPER, 'team:members', 'template:write', 'audit:read'];
const ORG_ADMIN: readonly Permission[] = [...TEAM_ADMIN, 'organization:read', 'organization:update', 'team:create'];

/** What a role holds. A role of an organization holds its team permissions in every team of it. */
export const ROLE_PERMISSIONS: Record<Role, readonly Permission[]> = {
  viewer: VIEWER,
  developer: DEVELOPER,
  team_admin: TEAM_ADMIN,
  org_member: ['organization:read', 'template:read'],
  org_admin: ORG_ADMIN,
  org_owner: [...ORG_ADMIN, 'organization:billing'],
  platform_admin: ['platform:admin'],
};

/** Everybody who is signed in. */
export const SIGNED_IN_PERMISSIONS: readonly Permission[] = ['self:read', 'token:manage', 'template:read'];

export function permissionsOf(roles: readonly Role[]): ReadonlySet<Permission> {
  return new Set(roles.flatMap((role) => ROLE_PERMISSIONS[role]));
}

/** For a 403: which roles could grant a permission, in words. */
export function grantersOf(permission: Permission): string {
  if (permission.startsWith('organization:') || permission === 'team:create') return 'an owner of the organization';
  if (permission.startsWith('platform:')) return 'an administrator of the platform';
  return 'an admin of the team or of its organization';
}
