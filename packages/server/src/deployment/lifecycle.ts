import { BerthError } from '@berth/core/errors';
import type { UserDeploymentSpec } from '@berth/core/user-deployment';
import type { Transaction } from '../db/database.ts';
import { recordLiveChange } from '../live/live-changes.ts';
import type { Author, DeploymentDeps } from './deployment-deps.ts';
import { findByIdForUpdate, updateWanted } from './deployment-repository.ts';
import type { DeploymentRow, DeploymentView } from './deployment-row.ts';
import { enqueue } from './outbox.ts';
import { insertRevision } from './revision-repository.ts';
import { type ChangeStory, saveChange } from './save-change.ts';
import { lockForChange } from './update-deployment.ts';

interface Request {
  id: string;
  author: Author;
  ifRevision?: number | undefined;
}

/** No pods; everything else stays. What is stopped already stays as it is. */
export async function stopDeployment(deps: DeploymentDeps, transaction: Transaction, request: Request): Promise<void> {
  const row = await lockForChange(transaction, request.id, request.ifRevision);
  if (row.desired === 'stopped') return;
  await save(deps, transaction, {
    row,
    author: request.author,
    next: { desired: 'stopped', phase: 'Updating' },
    spec: { desired: 'stopped' },
    story: { summary: 'stopped', activity: { kind: 'stopped', level: 'info', message: `${row.name} was stopped` } },
  });
}

export async function startDeployment(deps: DeploymentDeps, transaction: Transaction, request: Request): Promise<void> {
  const row = await lockForChange(transaction, request.id, request.ifRevision);
  if (row.desired === 'running') return;
  await save(deps, transaction, {
    row,
    author: request.author,
    next: { desired: 'running', phase: 'Starting' },
    spec: { desired: 'running' },
    story: { summary: 'started', activity: { kind: 'started', level: 'info', message: `${row.name} was started` } },
  });
}

/** Replaces every pod. */
export async function restartDeployment(
  deps: DeploymentDeps,
  transaction: Transaction,
  request: Request,
): Promise<void> {
  const row = await lockForChange(transaction, request.id, request.ifRevision);
  if (row.desired === 'stopped') {
    throw new BerthError('conflict', `${row.name} is stopped, so there is nothing to restart. Start it instead.`);
  }
  await save(deps, transaction, {
    row,
    author: request.author,
    next: { phase: 'Updating' },
    spec: { restartedAt: deps.clock().toISOString() },
    story: {
      summary: 'restarted',
      activity: { kind: 'restarted', level: 'info', message: `${row.name} was restarted` },
    },
  });
}

/**
 * Marks the row. The applier deletes the resource, and once that is gone the observer removes row, secrets and claims.
 * Who deletes what is going already is told the same.
 */
export async function deleteDeployment(
  deps: DeploymentDeps,
  transaction: Transaction,
  request: Request,
): Promise<void> {
  const row = await findByIdForUpdate(transaction, request.id);
  if (!row) throw new BerthError('not_found', 'There is no such deployment.');
  if (row.desired === 'deleted') return;
  await lockForChange(transaction, request.id, request.ifRevision);
  await markDeleted(deps, transaction, { row, by: request.author.email });
}

/** Also for a deletion that came by kubectl. Its revision remembers who it was until everything is gone. */
export async function markDeleted(
  { clock }: Pick<DeploymentDeps, 'clock'>,
  transaction: Transaction,
  { row, by }: { row: DeploymentRow; by: string },
): Promise<void> {
  const going: DeploymentRow = {
    ...row,
    desired: 'deleted',
    phase: 'Deleting',
    revision: row.revision + 1,
    updatedAt: clock(),
  };
  await updateWanted(transaction, going);
  await insertRevision(transaction, going, { summary: 'deleted', by });
  await enqueue(transaction, row.id);
  await recordLiveChange(transaction, { teamId: row.teamId, kind: 'deployment', objectId: row.id }, clock);
}

interface Save {
  row: DeploymentView;
  author: Author;
  next: Partial<Pick<DeploymentRow, 'desired' | 'phase'>>;
  spec: Partial<UserDeploymentSpec>;
  story: Omit<ChangeStory, 'by'>;
}

function save(deps: DeploymentDeps, transaction: Transaction, { row, author, next, spec, story }: Save): Promise<void> {
  const changed: DeploymentRow = {
    ...row,
    ...next,
    spec: { ...row.spec, ...spec },
    revision: row.revision + 1,
    updatedAt: deps.clock(),
  };
  return saveChange(transaction, changed, { clock: deps.clock, story: { ...story, by: author.email } });
}
