import { BerthError, invalidInput } from '@berth/core/errors';
import type { TeamRole } from '@berth/core/permissions';
import { PLANS } from '@berth/core/plans';
import type { Member } from '@berth/core/tenant';
import { findUserByEmail } from '../auth/user-repository.ts';
import type { Transaction } from '../db/database.ts';
import {
  countMembers,
  countOrganizationAdmins,
  countTeamAdmins,
  deleteMember,
  findMember,
  insertMember,
  insertOrganizationMember,
  removeIdleOrganizationMember,
  updateMemberRole,
} from './member-repository.ts';
import { lockTeam } from './repository.ts';

interface Place {
  teamId: string;
  organizationId: string;
}

/** Rules of a team's membership. Each holds the team's row first, so that two changes see one another. */
export async function addMember(
  transaction: Transaction,
  { teamId, organizationId }: Place,
  wanted: { email: string; role: TeamRole },
): Promise<Member> {
  const plan = await lockTeam(transaction, teamId);
  const user = await findUserByEmail(transaction, wanted.email);
  if (!user) {
    throw invalidInput('The member', [
      { path: 'email', message: 'has no account here; ask an administrator of the platform to make one' },
    ]);
  }
  if (await findMember(transaction, teamId, user.id)) {
    throw new BerthError('conflict', `${user.email} is in this team already; change their role instead`);
  }
  const allowed = plan && PLANS[plan].members;
  const used = await countMembers(transaction, teamId);
  if (plan && allowed !== undefined && used >= allowed) {
    throw new BerthError(
      'limit_reached',
      `The plan ${PLANS[plan].displayName} allows ${allowed} ${allowed === 1 ? 'member' : 'members'} in a team, and there ${used === 1 ? 'is 1' : `are ${used}`}; remove somebody, or ask an administrator of the platform for a larger plan`,
      { limit: { resource: 'members', used, allowed } },
    );
  }
  await insertOrganizationMember(transaction, { organizationId, userId: user.id, role: 'org_member' });
  await insertMember(transaction, { teamId, userId: user.id, role: wanted.role });
  return { userId: user.id, email: user.email, name: user.name, role: wanted.role };
}

export async function changeRole(
  transaction: Transaction,
  place: Place,
  wanted: { userId: string; role: TeamRole },
): Promise<Member> {
  await lockTeam(transaction, place.teamId);
  const member = await requireMember(transaction, place.teamId, wanted.userId);
  if (member.role === 'team_admin' && wanted.role !== 'team_admin') await requireAnotherAdmin(transaction, place);
  await updateMemberRole(transaction, { teamId: place.teamId, ...wanted });
  return { ...member, role: wanted.role };
}

export async function removeMember(transaction: Transaction, place: Place, userId: string): Promise<Member> {
  await lockTeam(transaction, place.teamId);
  const member = await requireMember(transaction, place.teamId, userId);
  if (member.role === 'team_admin') await requireAnotherAdmin(transaction, place);
  await deleteMember(transaction, place.teamId, userId);
  await removeIdleOrganizationMember(transaction, place.organizationId, userId);
  return member;
}

async function requireMember(transaction: Transaction, teamId: string, userId: string): Promise<Member> {
  const member = await findMember(transaction, teamId, userId);
  if (member) return member;
  throw new BerthError('not_found', 'This person is not in the team; see the list of members');
}

/** A team that nobody may manage could never be changed again. */
async function requireAnotherAdmin(transaction: Transaction, { teamId, organizationId }: Place): Promise<void> {
  if ((await countTeamAdmins(transaction, teamId)) > 1) return;
  if ((await countOrganizationAdmins(transaction, organizationId)) > 0) return;
  throw new BerthError('conflict', "This is the team's last admin; make somebody else an admin first");
}
