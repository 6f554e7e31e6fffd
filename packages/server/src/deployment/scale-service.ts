import { invalidInput } from '@berth/core/errors';
import type { Transaction } from '../db/database.ts';
import type { DeploymentDeps } from './deployment-deps.ts';
import { type ChangeRequest, changedService, requireService, save } from './lifecycle.ts';
import { lockForChange, phaseOfChange, toldOfChange } from './lock-for-change.ts';

/** The number stays with the deployment: a later change of a value or of the version keeps it. */
export async function scaleService(
  deps: DeploymentDeps,
  transaction: Transaction,
  request: ChangeRequest & { body: { service: string; replicas: number } },
): Promise<void> {
  const row = await lockForChange(transaction, request.id, request.ifRevision);
  const { service: name, replicas } = request.body;
  const service = requireService(row, name);
  if (replicas > 1 && (service.volumes?.length ?? 0) > 0) {
    const message = `${name} keeps data in a volume, which one pod can use; it takes 0 or 1`;
    throw invalidInput('The change', [{ path: 'replicas', message }]);
  }
  if ((service.replicas ?? 1) === replicas) return;
  const pods = replicas === 1 ? '1 pod' : `${replicas} pods`;
  await save(deps, transaction, {
    row,
    author: request.author,
    next: { replicas: { ...row.replicas, [name]: replicas }, phase: phaseOfChange(row) },
    spec: { services: changedService(row, name, { replicas }) },
    story: {
      summary: `${name} scaled to ${replicas}`,
      activity: {
        kind: 'scaled',
        level: 'info',
        message: toldOfChange(row, `${name} of ${row.name} was scaled to ${pods}`),
        service: name,
      },
    },
  });
}
