import { BerthError } from '@berth/core/errors';
import { idSchema } from '@berth/core/ids';
import { parseInput } from '@berth/core/parse';
import {
  grantersOf,
  PERMISSIONS,
  type Permission,
  permissionsOf,
  SIGNED_IN_PERMISSIONS,
} from '@berth/core/permissions';
import type { Route } from '@berth/core/route';
import { type Actor, organizationPermissions, teamPermissions } from '../auth/actor.ts';
import type { Database } from '../db/database.ts';
import { findTeamPlace } from '../tenant/repository.ts';
import type { OrganizationScope, TeamScope } from './handler.ts';
import type { AuditNotes } from './request-state.ts';

export interface Authoriser {
  database: Database;
  teamOfDeployment(id: string): Promise<string | undefined>;
}

/** As they came, before they are parsed: a stranger learns nothing of what is wrong with a request. */
export interface RawRequest {
  params: unknown;
  query: unknown;
  body: unknown;
}

export type Scope = TeamScope | OrganizationScope | undefined;

/** What somebody must hold to know that the thing is there. */
const READ_PERMISSIONS = {
  organization: 'organization:read',
  team: 'team:read',
  deployment: 'deployment:read',
} as const satisfies Partial<Record<Route['scope'], Permission>>;

/**
 * Finds what a route's permission is checked against, and checks it. Whoever may not even read the thing gets the very answer of a
 * thing that is not there; whoever may read but not do gets the right that is missing and who grants it.
 */
export async function authorise(
  authoriser: Authoriser,
  subject: { route: Route; actor: Actor; raw: RawRequest },
  notes: AuditNotes,
): Promise<Scope> {
  const { route, actor } = subject;
  if (route.scope === 'none') return undefined;
  if (route.scope === 'self') {
    const held = new Set([...SIGNED_IN_PERMISSIONS, ...permissionsOf(actor.platformAdmin ? ['platform_admin'] : [])]);
    requirePermission(held, route.permission);
    if (route.permission === 'template:read') await requireVisibleTeam(authoriser, subject, notes);
    return undefined;
  }
  const scope = await findScope(authoriser, subject, notes);
  if (!scope || !maySee(scope, route, READ_PERMISSIONS[route.scope])) {
    notes.denied = true;
    throw notFound();
  }
  requirePermission(scope.permissions, route.permission);
  return scope;
}

/** Whoever may read it; and an administrator of the platform, for what administrators do to things of others. */
function maySee({ permissions }: TeamScope | OrganizationScope, route: Route, reading: Permission): boolean {
  return permissions.has(reading) || (route.permission === 'platform:admin' && permissions.has('platform:admin'));
}

/** The catalogue is everybody's; with `?team=` it holds what that team wrote, and is for who may see the team. */
async function requireVisibleTeam(
  authoriser: Authoriser,
  { actor, raw }: { actor: Actor; raw: RawRequest },
  notes: AuditNotes,
): Promise<void> {
  const teamId = teamNamedIn(raw.query);
  if (teamId === undefined) return;
  const team = await findTeamPlace(authoriser.database, teamId);
  if (team && teamPermissions(actor, team).has('template:read')) return;
  notes.denied = true;
  throw notFound();
}

export function notFound(): BerthError {
  return new BerthError('not_found', 'There is no such thing, or you may not see it');
}

async function findScope(
  authoriser: Authoriser,
  { route, actor, raw }: { route: Route; actor: Actor; raw: RawRequest },
  notes: AuditNotes,
): Promise<TeamScope | OrganizationScope | undefined> {
  const params = route.params ? (parseInput(route.params, raw.params, 'The address') as Record<string, string>) : {};
  if (route.scope === 'organization') {
    const organizationId = params.organizationId ?? '';
    notes.organizationId = organizationId;
    return { organizationId, permissions: organizationPermissions(actor, organizationId) };
  }
  const teamId =
    route.scope === 'deployment'
      ? await authoriser.teamOfDeployment(params.id ?? '')
      : (params.teamId ?? teamNamedIn(route.body ? raw.body : raw.query) ?? actor.personalTeamId);
  const team = teamId === undefined ? undefined : await findTeamPlace(authoriser.database, teamId);
  if (!team) return undefined;
  notes.teamId = team.id;
  notes.organizationId = team.organizationId;
  return {
    teamId: team.id,
    organizationId: team.organizationId,
    permissions: teamPermissions(actor, team),
  };
}

/** The body's `team`, else `?team=`: where the contract has it, and nowhere else. */
function teamNamedIn(place: unknown): string | undefined {
  const team = fieldOf(place, 'team');
  if (team === undefined) return undefined;
  const result = idSchema.safeParse(team);
  if (result.success) return result.data;
  throw new BerthError('invalid_input', 'The team is not right: team: is not an id', {
    fields: [{ path: 'team', message: 'is not an id' }],
  });
}

function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string, unknown>)[name];
}

function requirePermission(held: ReadonlySet<Permission>, permission: Permission | 'public'): void {
  if (permission === 'public' || held.has(permission)) return;
  const grantedBy = grantersOf(permission);
  throw new BerthError('forbidden', `Your role does not let you ${PERMISSIONS[permission]}; ask ${grantedBy}`, {
    right: { permission, grantedBy },
  });
}
