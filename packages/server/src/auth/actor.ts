import { type OrganizationRole, type Permission, permissionsOf, type TeamRole } from '@berth/core/permissions';

/** Who asks: a signed-in person with the roles they hold at this moment. */
export interface Actor {
  userId: string;
  email: string;
  name: string;
  platformAdmin: boolean;
  authentication: Authentication;
  /** Where things go that name no team. */
  personalTeamId: string | undefined;
  organizationRoles: ReadonlyMap<string, OrganizationRole>;
  teamRoles: ReadonlyMap<string, TeamRole>;
}

/** How they proved it: with the cookie of a login, or with an API token. */
export interface Authentication {
  kind: 'login' | 'token';
  /** Of the login or the token. */
  id: string;
}

/** An administrator of the platform is one in every organization, which makes nobody a member of it. */
export function organizationPermissions(actor: Actor, organizationId: string): ReadonlySet<Permission> {
  const roles = [
    actor.organizationRoles.get(organizationId),
    actor.platformAdmin ? 'platform_admin' : undefined,
  ] as const;
  return permissionsOf(roles.filter((role) => role !== undefined));
}

/** A role of the organization holds its team permissions in every team of it. */
export function teamPermissions(actor: Actor, team: { id: string; organizationId: string }): ReadonlySet<Permission> {
  const roles = [actor.teamRoles.get(team.id), actor.organizationRoles.get(team.organizationId)];
  return permissionsOf(roles.filter((role) => role !== undefined));
}
