import { BerthError } from '@berth/core/errors';
import { PLANS, type PlanName } from '@berth/core/plans';
import type { Queryable, Transaction } from '../db/database.ts';

/**
 * A plan's slots for deployments. They are the rows themselves: a create that fails holds none. Every create locks the
 * organization's row first, so that two cannot both take the last slot, on however many servers they run.
 */
export interface Slots {
  plan: PlanName;
  used: number;
  allowed: number | undefined;
}

export async function lockSlots(transaction: Transaction, organizationId: string): Promise<Slots> {
  await transaction.execute('select 1 from organizations where id = $1 for no key update', [organizationId]);
  return readSlots(transaction, organizationId);
}

/** One that is being deleted holds no slot. */
export async function readSlots(queryable: Queryable, organizationId: string): Promise<Slots> {
  const [row] = await queryable.query<{ plan: PlanName; used: number }>(
    `select plan, (select count(*) from deployments d where d.organization_id = o.id and d.desired <> 'deleted') as used
     from organizations o where id = $1`,
    [organizationId],
  );
  if (!row) throw new BerthError('not_found', 'The organization is gone.');
  return { plan: row.plan, used: row.used, allowed: PLANS[row.plan].deployments };
}

export function refuseWhenFull({ plan, used, allowed }: Slots): void {
  if (allowed === undefined || used < allowed) return;
  const message = `The ${PLANS[plan].displayName} plan allows ${allowed} deployments and there are ${used}. Delete one, or ask an administrator of the platform for a larger plan.`;
  throw new BerthError('limit_reached', message, { limit: { resource: 'deployments', used, allowed } });
}
