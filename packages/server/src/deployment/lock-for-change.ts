import { BerthError } from '@berth/core/errors';
import type { Transaction } from '../db/database.ts';
import { findByIdForUpdate } from './deployment-repository.ts';
import type { DeploymentRow, DeploymentView } from './deployment-row.ts';

/** A change that waits changes nothing of what runs. */
export function phaseOfChange(row: DeploymentRow): DeploymentRow['phase'] {
  return row.paused ? row.phase : 'Updating';
}

/** How a change is told of a deployment that is paused: it has been asked for, and nothing has happened yet. */
export function toldOfChange({ paused }: DeploymentRow, message: string): string {
  return paused ? `${message}; it is paused, so this waits` : message;
}

/** Locks the row, and refuses what is going or has changed since it was looked at. */
export async function lockForChange(
  transaction: Transaction,
  id: string,
  ifRevision?: number | undefined,
): Promise<DeploymentView> {
  const row = await findByIdForUpdate(transaction, id);
  if (!row) throw new BerthError('not_found', 'There is no such deployment.');
  if (row.desired === 'deleted') {
    throw new BerthError('conflict', `${row.name} is being deleted and takes no more changes.`);
  }
  if (ifRevision !== undefined && ifRevision !== row.revision) {
    throw new BerthError(
      'conflict',
      `${row.name} is at revision ${row.revision}, not ${ifRevision}: somebody changed it meanwhile. Look at it again, then repeat your change.`,
    );
  }
  return row;
}
