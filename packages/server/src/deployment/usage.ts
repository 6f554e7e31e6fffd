import type { Usage } from '@berth/core/deployment';
import { PLANS } from '@berth/core/plans';
import { quantity } from '@berth/core/quantity';
import type { UserDeploymentSpec } from '@berth/core/user-deployment';
import type { Queryable } from '../db/database.ts';
import { usesOf } from './draft.ts';
import { readSlots } from './plan-slots.ts';

/** What a team requests of its plan. A stopped deployment requests no pods but keeps its volumes and its slot. */
export async function usageOf(
  queryable: Queryable,
  { teamId, organizationId }: { teamId: string; organizationId: string },
): Promise<Usage> {
  const slots = await readSlots(queryable, organizationId);
  const rows = await queryable.query<{ desired: string; spec: UserDeploymentSpec }>(
    "select desired, spec from deployments where team_id = $1 and desired <> 'deleted'",
    [teamId],
  );
  const used = { cpu: 0, memory: 0, storage: 0 };
  for (const { desired, spec } of rows) {
    const uses = usesOf(spec);
    used.storage += uses.storage;
    if (desired === 'stopped') continue;
    used.cpu += uses.cpu;
    used.memory += uses.memory;
  }
  const plan = PLANS[slots.plan];
  return {
    plan: slots.plan,
    deployments: withLimit(slots.used, slots.allowed),
    cpu: withLimit(used.cpu, quantityOf(plan.cpu)),
    memory: withLimit(used.memory, quantityOf(plan.memory)),
    storage: withLimit(used.storage, quantityOf(plan.storage)),
  };
}

function quantityOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : quantity(text);
}

function withLimit(used: number, allowed: number | undefined): { used: number; allowed?: number } {
  return allowed === undefined ? { used } : { used, allowed };
}
