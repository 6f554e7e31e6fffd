import type { NewCondition } from '@berth/core/conditions';
import { ANNOTATIONS, CONDITIONS, UPDATED_REASONS, type UpdateStatus } from '@berth/core/user-deployment';
import { deploymentFor } from './checks.ts';
import { isSettled } from './readiness.ts';
import type { Situation } from './situation.ts';
import type { UpdateFailure } from './update-failure.ts';
import { templateHashOf } from './versions.ts';

/** `status.update`. What has not changed keeps its time. */
export function updateStatus(situation: Situation): UpdateStatus | undefined {
  const { course, lastGood, specHash, userDeployment, now } = situation;
  const before = userDeployment.status?.update;
  // Nothing is known of a spec that cannot be read, so what was said of the one before still stands.
  if (course.state === 'unreadable') return before;
  if (course.state === 'first' || !lastGood || specHash === undefined) return undefined;
  const same = before?.state === course.state && (before.specHash === specHash || course.state === 'complete');
  const base = {
    state: course.state,
    generation: userDeployment.metadata.generation ?? 0,
    specHash,
    since: same ? before.since : new Date(now).toISOString(),
  };
  if (specHash === lastGood.specHash) return base;
  const replaces = replacedServices(situation);
  const { service, reason, message, lastLines } = before ?? {};
  return {
    ...base,
    ...servingRevision(situation),
    ...(replaces.length > 0 && { replaces }),
    ...(course.state === 'stopped' && {
      ...(service !== undefined && { service }),
      ...(reason !== undefined && { reason }),
      ...(message !== undefined && { message }),
      ...(lastLines !== undefined && { lastLines }),
    }),
  };
}

/** From now on the last good version is built. */
export function stoppedUpdate(
  situation: Situation,
  failure: UpdateFailure,
  lastLines: readonly string[],
): UpdateStatus {
  const { userDeployment, specHash, now } = situation;
  return {
    state: 'stopped',
    generation: userDeployment.metadata.generation ?? 0,
    ...(specHash !== undefined && { specHash }),
    ...servingRevision(situation),
    since: new Date(now).toISOString(),
    service: failure.service,
    reason: failure.reason.slice(0, 256),
    message: failure.message.slice(0, 4096),
    ...(lastLines.length > 0 && { lastLines: [...lastLines] }),
  };
}

/** `runs` when what is wanted is what is good; `waits` is what an update on its way waits for. */
export function updatedCondition(
  update: UpdateStatus,
  { runs, waits }: { runs: boolean; waits: string | undefined },
): Omit<NewCondition, 'observedGeneration'> {
  const type = CONDITIONS.updated;
  const reason = UPDATED_REASONS[update.state];
  if (runs) return { type, status: 'True', reason, message: '' };
  const messages = {
    complete: '',
    progressing: waits ?? 'the new version is on its way',
    stopped: `${update.message ?? 'a pod of the new version did not become ready.'} The version before serves.`,
    paused: 'changes wait until it is resumed',
  };
  return { type, status: 'False', reason, message: messages[update.state].slice(0, 32_768) };
}

/** Services whose one pod is replaced by another version's, as long as that is not there. */
function replacedServices(situation: Situation): string[] {
  const { spec, children } = situation;
  return (spec?.services ?? [])
    .filter(({ volumes }) => volumes?.length)
    .filter(({ name }) => {
      const deployment = deploymentFor(situation, name);
      if (!deployment || (deployment.spec.replicas ?? 0) === 0 || isSettled(deployment)) return false;
      const child = children.find(({ type, service }) => type.kind === 'Deployment' && service === name);
      return templateHashOf(deployment) === templateHashOf(child?.object);
    })
    .map(({ name }) => name);
}

function servingRevision({ lastGood }: Situation): { servingRevision?: string } {
  const revision = lastGood?.object.metadata.annotations?.[ANNOTATIONS.revision];
  return revision === undefined ? {} : { servingRevision: revision };
}
