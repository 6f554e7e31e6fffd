import { BerthError, invalidInput } from '@berth/core/errors';
import type { Service } from '@berth/core/service';
import type { UserDeploymentSpec } from '@berth/core/user-deployment';
import type { Transaction } from '../db/database.ts';
import { recordLiveChange } from '../live/live-changes.ts';
import type { Author, DeploymentDeps } from './deployment-deps.ts';
import { findByIdForUpdate, updateWanted } from './deployment-repository.ts';
import type { DeploymentRow, DeploymentView } from './deployment-row.ts';
import { lockForChange, phaseOfChange, toldOfChange } from './lock-for-change.ts';
import { enqueue } from './outbox.ts';
import { plain } from './plain.ts';
import { refuseGrowthOverPlan } from './plan-resources.ts';
import { insertRevision } from './revision-repository.ts';
import { type ChangeStory, saveChange } from './save-change.ts';

export interface ChangeRequest {
  id: string;
  author: Author;
  ifRevision?: number | undefined;
}

/** No pods; everything else stays. What is stopped already stays as it is. */
export async function stopDeployment(
  deps: DeploymentDeps,
  transaction: Transaction,
  request: ChangeRequest,
): Promise<void> {
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

export async function startDeployment(
  deps: DeploymentDeps,
  transaction: Transaction,
  request: ChangeRequest,
): Promise<void> {
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

/** Replaces every pod, or those of one service. */
export async function restartDeployment(
  deps: DeploymentDeps,
  transaction: Transaction,
  request: ChangeRequest & { body?: { service?: string | undefined } | undefined },
): Promise<void> {
  const row = await lockForChange(transaction, request.id, request.ifRevision);
  if (row.desired === 'stopped') {
    throw new BerthError('conflict', `${row.name} is stopped, so there is nothing to restart. Start it instead.`);
  }
  const service = request.body?.service;
  if (service !== undefined) requireService(row, service);
  const restartedAt = deps.clock().toISOString();
  const what = service === undefined ? row.name : `${service} of ${row.name}`;
  await save(deps, transaction, {
    row,
    author: request.author,
    next: { phase: phaseOfChange(row) },
    spec: service === undefined ? { restartedAt } : { services: changedService(row, service, { restartedAt }) },
    story: {
      summary: service === undefined ? 'restarted' : `${service} restarted`,
      activity: { kind: 'restarted', level: 'info', message: toldOfChange(row, `${what} was restarted`), service },
    },
  });
}

/** What runs keeps running as it is; changes wait. */
export async function pauseDeployment(
  deps: DeploymentDeps,
  transaction: Transaction,
  request: ChangeRequest,
): Promise<void> {
  const row = await lockForChange(transaction, request.id, request.ifRevision);
  if (row.paused) return;
  const message = `${row.name} was paused: what runs stays as it is, changes wait`;
  await save(deps, transaction, {
    row,
    author: request.author,
    next: { paused: true },
    spec: { paused: true },
    story: { summary: 'paused', activity: { kind: 'paused', level: 'info', message } },
  });
}

/** Rolls out the changes that waited. */
export async function resumeDeployment(
  deps: DeploymentDeps,
  transaction: Transaction,
  request: ChangeRequest,
): Promise<void> {
  const row = await lockForChange(transaction, request.id, request.ifRevision);
  if (!row.paused) return;
  await save(deps, transaction, {
    row,
    author: request.author,
    next: { paused: false, phase: 'Updating' },
    spec: { paused: undefined },
    story: { summary: 'resumed', activity: { kind: 'resumed', level: 'info', message: `${row.name} was resumed` } },
  });
}

/**
 * Marks the row. The applier deletes the resource, and once that is gone the observer removes row, secrets and claims.
 * Who deletes what is going already is told the same.
 */
export async function deleteDeployment(
  deps: DeploymentDeps,
  transaction: Transaction,
  request: ChangeRequest,
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

export function requireService(row: DeploymentRow, name: string): Service {
  const service = row.spec.services.find((each) => each.name === name);
  if (service) return service;
  const names = row.spec.services.map((each) => each.name).join(', ');
  throw invalidInput('The change', [{ path: 'service', message: `is no service of ${row.name}; there are ${names}` }]);
}

export function changedService(row: DeploymentRow, name: string, change: Partial<Service>): Service[] {
  return row.spec.services.map((service) => (service.name === name ? { ...service, ...change } : service));
}

interface Save {
  row: DeploymentView;
  author: Author;
  next: Partial<Pick<DeploymentRow, 'desired' | 'phase' | 'paused' | 'replicas'>>;
  spec: { [K in keyof UserDeploymentSpec]?: UserDeploymentSpec[K] | undefined };
  story: Omit<ChangeStory, 'by'>;
}

export async function save(
  deps: DeploymentDeps,
  transaction: Transaction,
  { row, author, next, spec, story }: Save,
): Promise<void> {
  const changed: DeploymentRow = {
    ...row,
    ...next,
    spec: plain({ ...row.spec, ...spec }),
    revision: row.revision + 1,
    updatedAt: deps.clock(),
  };
  await refuseGrowthOverPlan(transaction, { before: row, after: changed });
  await saveChange(transaction, changed, { clock: deps.clock, story: { ...story, by: author.email } });
}
