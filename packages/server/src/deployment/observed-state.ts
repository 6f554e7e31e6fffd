import { findCondition } from '@berth/core/conditions';
import {
  CONDITIONS,
  FINALIZER,
  type Phase,
  RECORD_FINALIZER,
  type UpdateStatus,
  type UserDeploymentStatus,
} from '@berth/core/user-deployment';
import type { UserDeployment } from '../kubernetes/user-deployment.ts';
import type { DeploymentRow } from './deployment-row.ts';
import { revisionOf } from './to-resource.ts';

/** What a row should say of its resource. */
export interface ObservedState {
  phase: Phase;
  message: string | undefined;
  status: UserDeploymentStatus | undefined;
}

/**
 * The phase counts only when it is about what the row wants now: the resource carries the row's revision and the operator has seen
 * it. Until then the row keeps the phase that the change gave it, so nobody who waits for a change takes the state
 * before it for its end.
 */
export function observedState(row: DeploymentRow, resource: UserDeployment): ObservedState {
  const { metadata } = resource;
  if (row.desired === 'deleted') return { phase: 'Deleting', message: whatBlocks(resource), status: resource.status };
  const current = revisionOf(resource) === row.revision && resource.status?.observedGeneration === metadata.generation;
  const status = current ? resource.status : withoutStop(resource.status);
  const message = status && messageOf(status, row.revision);
  return { phase: (current && status?.phase) || row.phase, message, status };
}

/** An update that was stopped is what an earlier revision wanted: it must not be taken for the end of this one. */
function withoutStop(status: UserDeploymentStatus | undefined): UserDeploymentStatus | undefined {
  if (status?.update?.state !== 'stopped') return status;
  const { update: _earlier, ...rest } = status;
  return rest;
}

/** A resource that is going waits for whoever put a finalizer on it. */
function whatBlocks({ metadata, status }: UserDeployment): string | undefined {
  const waiting = (metadata.finalizers ?? []).filter((each) => each !== RECORD_FINALIZER);
  const foreign = waiting.filter((each) => each !== FINALIZER);
  if (foreign.length > 0)
    return `Its resource waits for ${foreign.join(', ')}; whoever put that there has to let it go.`;
  if (waiting.length === 0) return undefined;
  const ready = findCondition(status?.conditions, CONDITIONS.ready);
  return ready?.status === 'False' && ready.message !== ''
    ? ready.message
    : 'Its services and volumes are being removed.';
}

/** One sentence for people: what blocks it, else what became of its update, else which service fails and why, else what it waits for. */
function messageOf(status: UserDeploymentStatus, revision: number): string | undefined {
  const { conditions = [], services = [], phase } = status;
  const blocking = [CONDITIONS.valid, CONDITIONS.admitted, CONDITIONS.hostsClaimed]
    .map((type) => findCondition(conditions, type))
    .find((condition) => condition?.status === 'False');
  if (blocking) return blocking.message;
  const update = status.update && updateInWords(status.update, revision);
  if (update !== undefined) return update;
  const failing = services.find(({ state }) => state === 'Failing');
  if (failing) return `${failing.name}: ${failing.message ?? failing.reason ?? 'it does not start'}`;
  if (phase === 'Running' || phase === 'Stopped') return undefined;
  const ready = findCondition(conditions, CONDITIONS.ready);
  return ready && ready.status !== 'True' && ready.message !== '' ? ready.message : undefined;
}

export function stoppedInWords(revision: number, why: string | undefined): string {
  return `Update to revision ${revision} was stopped: ${why ?? 'its pods did not become ready'}`;
}

function updateInWords(
  { state, message, servingRevision, replaces = [] }: UpdateStatus,
  revision: number,
): string | undefined {
  if (state === 'stopped') return stoppedInWords(revision, message);
  if (state === 'paused' && servingRevision !== undefined) {
    return `It is paused: revision ${servingRevision} runs, later changes wait until it is resumed.`;
  }
  if (state === 'progressing' && replaces.length > 0) {
    const verb = replaces.length === 1 ? 'is' : 'are';
    return `${replaces.join(', ')} ${verb} being replaced and down until the new pod is ready: a volume has one user at a time.`;
  }
  return undefined;
}
