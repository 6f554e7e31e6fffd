import type { NewId } from '@berth/core/ids';
import { namespaceOf } from '@berth/core/names';
import type { PlanName } from '@berth/core/plans';
import type { Clock } from '../clock.ts';
import type { Transaction } from '../db/database.ts';
import { insertMember, insertOrganizationMember } from './member-repository.ts';
import { insertOrganization, insertTeam, type OrganizationRow, type TeamRow } from './repository.ts';

export interface TenantMaker {
  clock: Clock;
  newId: NewId;
  /** What a new organization starts with. */
  defaultPlan: PlanName;
}

const PERSONAL_TEAM = 'Personal';
const FIRST_TEAM = 'Main';

/** Everybody has one: what they deploy without naming a team goes to its team. */
export function createPersonalOrganization(
  transaction: Transaction,
  maker: TenantMaker,
  owner: { id: string; name: string },
): Promise<{ organization: OrganizationRow; team: NewTeam }> {
  return create(transaction, maker, { name: owner.name, personal: true, teamName: PERSONAL_TEAM, ownerId: owner.id });
}

/** An organization always has a team: nothing can run in one without. */
export function createOrganizationWithTeam(
  transaction: Transaction,
  maker: TenantMaker,
  wanted: { name: string; ownerId: string },
): Promise<{ organization: OrganizationRow; team: NewTeam }> {
  return create(transaction, maker, { ...wanted, personal: false, teamName: FIRST_TEAM });
}

export type NewTeam = Pick<TeamRow, 'id' | 'organizationId' | 'name' | 'namespace' | 'createdAt'>;

export async function createTeamIn(
  transaction: Transaction,
  maker: TenantMaker,
  wanted: { organizationId: string; name: string; adminId: string },
): Promise<NewTeam> {
  const id = maker.newId();
  const team = {
    id,
    organizationId: wanted.organizationId,
    name: wanted.name,
    namespace: namespaceOf(id),
    createdAt: maker.clock(),
  };
  await insertTeam(transaction, team);
  await insertMember(transaction, { teamId: id, userId: wanted.adminId, role: 'team_admin' });
  return team;
}

async function create(
  transaction: Transaction,
  maker: TenantMaker,
  wanted: { name: string; personal: boolean; teamName: string; ownerId: string },
): Promise<{ organization: OrganizationRow; team: NewTeam }> {
  const organization: OrganizationRow = {
    id: maker.newId(),
    name: wanted.name,
    personal: wanted.personal,
    plan: maker.defaultPlan,
    createdAt: maker.clock(),
    role: 'org_owner',
  };
  await insertOrganization(transaction, organization);
  await insertOrganizationMember(transaction, {
    organizationId: organization.id,
    userId: wanted.ownerId,
    role: 'org_owner',
  });
  const team = await createTeamIn(transaction, maker, {
    organizationId: organization.id,
    name: wanted.teamName,
    adminId: wanted.ownerId,
  });
  return { organization, team };
}
