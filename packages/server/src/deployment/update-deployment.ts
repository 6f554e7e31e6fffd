import type { UpdateDeployment } from '@berth/core/deployment';
import type { Transaction } from '../db/database.ts';
import { takeHosts } from './addresses.ts';
import { changeSummary, fieldsInWords } from './change-summary.ts';
import type { DeploymentDeps } from './deployment-deps.ts';
import type { ChangeRequest } from './lifecycle.ts';
import { lockForChange, toldOfChange } from './lock-for-change.ts';
import { planUpdate } from './plan-update.ts';
import { saveChange } from './save-change.ts';
import { storeSecrets } from './store-secrets.ts';

/** Changes what a deployment should be. A change that changes nothing makes no revision, so sending it again is harmless. */
export async function updateDeployment(
  deps: DeploymentDeps,
  transaction: Transaction,
  { id, body, author, ifRevision }: ChangeRequest & { body: UpdateDeployment },
): Promise<void> {
  const row = await lockForChange(transaction, id, ifRevision);
  const { next, addresses, secrets, comparison, undone, same } = await planUpdate(deps, transaction, { row, body });
  if (same) return;
  const told = changeSummary(comparison);
  const summary =
    undone.length === 0 ? told : `${told}; edits in the cluster undone: ${fieldsInWords(undone).join(', ')}`;
  const activity = { kind: 'changed', level: 'info', message: toldOfChange(row, `${row.name}: ${summary}`) } as const;
  await saveChange(transaction, next, {
    clock: deps.clock,
    story: { summary, by: author.email, changedSecrets: secrets.keys(), activity },
    beforeTelling: async () => {
      await takeHosts(deps, transaction, { deploymentId: row.id, addresses, spec: next.spec, before: row.spec });
      await storeSecrets(deps.secrets, transaction, { owner: { teamId: row.teamId, path: row.id }, values: secrets });
    },
  });
}
