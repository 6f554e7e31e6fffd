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
