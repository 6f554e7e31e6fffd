import { findCondition } from '@berth/core/conditions';
import type { UserDeploymentStatus } from '@berth/core/user-deployment';
import { CONDITIONS } from '@berth/core/user-deployment';
import type { OwnStatus } from './status.ts';

export interface Happening {
  type: 'Normal' | 'Warning';
  reason: string;
  message: string;
}

/** What is worth an event: only what changed between two statuses, so that a reconcile that changes nothing records nothing. */
export function happenings(before: UserDeploymentStatus | undefined, after: OwnStatus): Happening[] {
  const happened: Happening[] = [];
  if (after.phase === 'Running' && before?.phase !== 'Running') {
    happened.push({ type: 'Normal', reason: 'Running', message: 'Every service is ready' });
  }
  if (after.phase === 'Stopped' && before?.phase !== 'Stopped') {
    happened.push({ type: 'Normal', reason: 'Stopped', message: 'Every pod is gone' });
  }
  happened.push(...updateHappenings(before, after));
  const invalid = findCondition(after.conditions, CONDITIONS.valid);
  const wasInvalid = findCondition(before?.conditions, CONDITIONS.valid);
  if (invalid?.status === 'False' && invalid.message !== wasInvalid?.message) {
    happened.push({ type: 'Warning', reason: invalid.reason, message: invalid.message });
  }
  for (const service of after.services ?? []) {
    const earlier = before?.services?.find(({ name }) => name === service.name);
    if (service.state !== 'Failing' || (earlier?.state === 'Failing' && earlier.reason === service.reason)) continue;
    const message = `${service.name}: ${service.message ?? ''}`;
    happened.push({ type: 'Warning', reason: service.reason ?? 'Failing', message });
  }
  return happened;
}

function updateHappenings(before: UserDeploymentStatus | undefined, after: OwnStatus): Happening[] {
  const [was, is] = [before?.update, after.update];
  const happened: Happening[] = [];
  const begins =
    is !== undefined && (was?.state !== is.state || (is.state !== 'complete' && was.specHash !== is.specHash));
  if (begins && is.state === 'progressing') {
    happened.push({ type: 'Normal', reason: 'UpdateStarted', message: 'A new version is on its way' });
  }
  if (begins && is.state === 'complete' && was?.state === 'progressing') {
    happened.push({ type: 'Normal', reason: 'Updated', message: 'The new version runs' });
  }
  if (begins && is.state === 'paused') {
    happened.push({ type: 'Normal', reason: 'Paused', message: 'Changes wait until it is resumed' });
  }
  if (begins && is.state === 'stopped') {
    const message = `${is.message ?? 'A pod of the new version did not become ready.'} The version before serves.`;
    happened.push({ type: 'Warning', reason: 'UpdateStopped', message });
  }
  for (const service of is?.replaces ?? []) {
    if (was?.replaces?.includes(service)) continue;
    const message = `${service} has a volume, so it is replaced: it is down until its new pod is ready`;
    happened.push({ type: 'Normal', reason: 'Replacing', message });
  }
  return happened;
}
