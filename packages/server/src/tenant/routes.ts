import { BerthError } from '@berth/core/errors';
import type { Database, Queryable } from '../db/database.ts';
import { isUniqueViolation } from '../db/errors.ts';
import { enqueueOrganization } from '../deployment/outbox.ts';
import { notFound } from '../http/authorise.ts';
import type { HandlerContext, Handlers } from '../http/handler.ts';
import { createOrganizationWithTeam, createTeamIn, type TenantMaker } from './create-organization.ts';
import { findMembers } from './member-repository.ts';
import { addMember, changeRole, removeMember } from './members.ts';
import { presentOrganization, presentTeam } from './present.ts';
import {
  countOwnedOrganizations,
  countTeams,
  findOrganization,
  findOrganizations,
  findTeam,
  findTeams,
  lockOrganization,
  lockUser,
  renameOrganization,
  replacePlan,
} from './repository.ts';

/** Against runaway scripts; no person comes near. */
const MAX_OWNED_ORGANIZATIONS = 50;
const MAX_TEAMS = 100;

type TenantRouteName =
  | 'listOrganizations'
  | 'createOrganization'
  | 'getOrganization'
  | 'updateOrganization'
  | 'updatePlan'
  | 'createTeam'
  | 'listTeams'
  | 'getTeam'
  | 'listMembers'
  | 'addMember'
  | 'updateMember'
  | 'removeMember';

export interface TenantDependencies extends TenantMaker {
  database: Database;
}

export function tenantHandlers(dependencies: TenantDependencies): Handlers<TenantRouteName> {
  const { database } = dependencies;
  return {
    async listOrganizations({ actor }) {
      return { items: (await findOrganizations(database, actor.userId)).map(presentOrganization) };
    },

    createOrganization: ({ actor, body, audit, transaction }) =>
      transaction(async (tx) => {
        await lockUser(tx, actor.userId);
        const used = await countOwnedOrganizations(tx, actor.userId);
        refuseAbove({ resource: 'organizations', used, allowed: MAX_OWNED_ORGANIZATIONS });
        const { organization } = await createOrganizationWithTeam(tx, dependencies, {
          name: body.name,
          ownerId: actor.userId,
        });
        audit.target(organization.id);
        audit.belongsTo({ organizationId: organization.id });
        return presentOrganization(organization);
      }),

    getOrganization: ({ scope, actor }) => requireOrganization(database, scope.organizationId, actor.userId),

    updateOrganization: ({ scope, actor, body, audit, transaction }) =>
      transaction(async (tx) => {
        await renameOrganization(tx, scope.organizationId, body.name);
        audit.detail('name');
        return requireOrganization(tx, scope.organizationId, actor.userId);
      }),

    // A smaller plan takes nothing away: it refuses what would be made beyond it. The quotas in the cluster follow by the applier.
    updatePlan: ({ scope, actor, body, audit, transaction }) =>
      transaction(async (tx) => {
        const before = await replacePlan(tx, scope.organizationId, body.plan);
        if (before === undefined) throw notFound();
        audit.detail(`plan ${body.plan}, was ${before}`);
        await enqueueOrganization(tx, scope.organizationId);
        return requireOrganization(tx, scope.organizationId, actor.userId);
      }),

    createTeam: (context) => createTeam(dependencies, context),

    async listTeams({ actor }) {
      const teams = (await findTeams(database, actor.userId)).map(presentTeam);
      return { items: teams.filter((team) => team.permissions.includes('team:read')) };
    },

    getTeam: ({ scope, actor }) => requireTeam(database, scope.teamId, actor.userId),

    async listMembers({ scope }) {
      return { items: await findMembers(database, scope.teamId) };
    },

    addMember: ({ scope, body, audit, transaction }) =>
      transaction(async (tx) => {
        const member = await addMember(tx, scope, body);
        audit.target(member.userId);
        audit.detail(`role ${member.role}`);
        return member;
      }),

    updateMember: ({ scope, params, body, audit, transaction }) =>
      transaction(async (tx) => {
        audit.detail(`role ${body.role}`);
        return changeRole(tx, scope, { userId: params.userId, role: body.role });
      }),

    removeMember: ({ scope, params, audit, transaction }) =>
      transaction(async (tx) => {
        const member = await removeMember(tx, scope, params.userId);
        audit.detail(`was ${member.role}`);
        return undefined;
      }),
  };
}

async function createTeam(
  maker: TenantDependencies,
  { scope, actor, body, audit, transaction }: HandlerContext<'createTeam'>,
) {
  const { organizationId } = scope;
  try {
    return await transaction(async (tx) => {
      await lockOrganization(tx, organizationId);
      refuseAbove({ resource: 'teams', used: await countTeams(tx, organizationId), allowed: MAX_TEAMS });
      const team = await createTeamIn(tx, maker, { organizationId, name: body.name, adminId: actor.userId });
      audit.target(team.id);
      audit.belongsTo({ teamId: team.id, organizationId });
      return requireTeam(tx, team.id, actor.userId);
    });
  } catch (error) {
    if (!isUniqueViolation(error, 'teams_organization_id_name_key')) throw error;
    throw new BerthError('name_taken', `The organization has a team "${body.name}" already; choose another name`, {
      fields: [{ path: 'name', message: 'is taken' }],
      cause: error,
    });
  }
}

async function requireOrganization(database: Queryable, id: string, userId: string) {
  const row = await findOrganization(database, id, userId);
  if (!row) throw new BerthError('not_found', 'The organization was removed meanwhile');
  return presentOrganization(row);
}

async function requireTeam(database: Queryable, id: string, userId: string) {
  const row = await findTeam(database, id, userId);
  if (!row) throw new BerthError('not_found', 'The team was removed meanwhile');
  return presentTeam(row);
}

function refuseAbove(limit: { resource: string; used: number; allowed: number }): void {
  if (limit.used < limit.allowed) return;
  throw new BerthError('limit_reached', `At most ${limit.allowed} ${limit.resource} are allowed; remove some first`, {
    limit,
  });
}
