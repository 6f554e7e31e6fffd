import { BerthError } from '@berth/core/errors';
import { PLANS } from '@berth/core/plans';
import { formatBytes, formatCores } from '@berth/core/quantity';
import type { Queryable } from '../db/database.ts';
import type { DeploymentRow } from './deployment-row.ts';
import { usesOf } from './draft.ts';
import { readSlots } from './plan-slots.ts';
import { usageOf } from './usage.ts';

/**
 * What pods and volumes of a team may request by its plan. The quota of the namespace has the last word; this says it before, where
 * somebody can still choose otherwise.
 */
export type Uses = ReturnType<typeof usesOf>;

const NOTHING: Uses = { cpu: 0, memory: 0, storage: 0 };
const RESOURCES = [
  { resource: 'cpu', what: 'CPU', format: (cores: number) => `${formatCores(cores)} cores` },
  { resource: 'memory', what: 'memory', format: formatBytes },
  { resource: 'storage', what: 'storage', format: formatBytes },
] as const;

/** Refuses what asks for more than before and then for more than there is. What shrinks, or stays over a plan that shrank, may pass. */
export async function refuseOverPlan(
  queryable: Queryable,
  place: { teamId: string; organizationId: string },
  { before = NOTHING, after }: { before?: Uses; after: Uses },
): Promise<void> {
  if (RESOURCES.every(({ resource }) => after[resource] <= before[resource])) return;
  const { plan: name } = await readSlots(queryable, place.organizationId);
  const plan = PLANS[name];
  if (RESOURCES.every(({ resource }) => plan[resource] === undefined)) return;
  const usage = await usageOf(queryable, place);
  for (const { resource, what, format } of RESOURCES) {
    const { used, allowed } = usage[resource];
    const asked = after[resource] - before[resource];
    if (allowed === undefined || asked <= 0 || toThousandths(used + asked) <= allowed) continue;
    throw new BerthError(
      'limit_reached',
      `The ${plan.displayName} plan allows ${format(allowed)} of ${what} for all services of a team; ${format(used)} are used and this takes ${format(asked)} more. Stop or scale down something, or ask an administrator of the platform for a larger plan.`,
      { limit: { resource, used, allowed } },
    );
  }
}

export function refuseGrowthOverPlan(
  queryable: Queryable,
  { before, after }: { before: DeploymentRow; after: DeploymentRow },
): Promise<void> {
  return refuseOverPlan(queryable, after, { before: usesOfRow(before), after: usesOfRow(after) });
}

/** What is stopped requests no pods and keeps its volumes. */
export function usesOfRow({ spec, desired }: Pick<DeploymentRow, 'spec' | 'desired'>): Uses {
  const uses = usesOf(spec);
  return desired === 'stopped' ? { ...NOTHING, storage: uses.storage } : uses;
}

/** Sums of fractions are not exact. */
function toThousandths(amount: number): number {
  return Math.round(amount * 1000) / 1000;
}
