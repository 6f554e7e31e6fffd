import type { Clock } from '../clock.ts';
import type { Database } from '../db/database.ts';
import { recordLiveChange } from '../live/live-changes.ts';
import type { SecretStore } from '../secret/secret-store.ts';
import { recordActivity } from './activity.ts';
import { auditObserved } from './audit-observed.ts';
import { findByIdForUpdate, remove } from './deployment-repository.ts';
import { listRevisions } from './revision-repository.ts';

export interface RemovalDeps {
  database: Database;
  secrets: SecretStore;
  clock: Clock;
}

/**
 * The end of a deletion, once its resource is gone: secrets, host claims, history and the row, in one transaction. Whoever
 * comes second finds nothing to do.
 */
export async function finishRemoval({ database, secrets, clock }: RemovalDeps, id: string): Promise<void> {
  await database.transaction(async (transaction) => {
    const row = await findByIdForUpdate(transaction, id);
    if (row?.desired !== 'deleted') return;
    const [last] = await listRevisions(transaction, id);
    await secrets.remove(transaction, { teamId: row.teamId, path: id });
    await remove(transaction, id);
    const about = { teamId: row.teamId, deploymentId: id, deploymentName: row.name, by: last?.madeBy };
    const message = `${row.name} was deleted with its volumes, secrets and address`;
    await recordActivity(transaction, { ...about, kind: 'deleted', level: 'info', message }, clock);
    await recordLiveChange(transaction, { teamId: row.teamId, kind: 'removed', objectId: id }, clock);
    const detail = 'removed with its volumes, secrets and address';
    await auditObserved(transaction, row, { action: 'deployment:delete', detail, clock });
  });
}
