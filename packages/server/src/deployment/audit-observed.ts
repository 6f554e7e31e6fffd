import type { Permission } from '@berth/core/permissions';
import { appendAudit } from '../audit/append-audit.ts';
import { SYSTEM_ACTORS } from '../audit/system-actors.ts';
import type { Clock } from '../clock.ts';
import type { Transaction } from '../db/database.ts';
import type { DeploymentRow } from './deployment-row.ts';

/** The record of a change that came from the cluster instead of a request. The last thing in its transaction. */
export async function auditObserved(
  transaction: Transaction,
  row: Pick<DeploymentRow, 'name' | 'teamId' | 'organizationId'>,
  { action, detail, clock }: { action: Permission; detail: string; clock: Clock },
): Promise<void> {
  await appendAudit(transaction, {
    at: clock(),
    actor: SYSTEM_ACTORS.observer,
    action,
    outcome: 'allowed',
    target: row.name,
    teamId: row.teamId,
    organizationId: row.organizationId,
    detail,
  });
}
