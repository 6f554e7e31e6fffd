import type { NewActivity } from './activity.ts';
import type { DeploymentView } from './deployment-row.ts';
import type { ObserveDeps } from './observe-deps.ts';
import { type ObservedState, stoppedInWords } from './observed-state.ts';
import type { SeenOutcome } from './revision-outcome.ts';

/** What people are told of what was seen. */
export type Story = Pick<NewActivity, 'kind' | 'level' | 'message' | 'service' | 'sourceKey'>;

export function stopStory(row: DeploymentView, { message, service, occurrence }: SeenOutcome): Story {
  return {
    kind: 'update_stopped',
    level: 'failure',
    message: `${row.name}: ${stoppedInWords(row.revision, message)}`,
    service,
    sourceKey: `update ${row.id} ${occurrence}`,
  };
}

/** When the phase is another one now. */
export function phaseStories(row: DeploymentView, seen: ObservedState, { urlOf }: Pick<ObserveDeps, 'urlOf'>): Story[] {
  if (seen.phase === 'Running') {
    // What serves has been running all the while.
    if (seen.status?.update?.state === 'stopped') return [];
    const where = row.host === undefined ? '' : ` at ${urlOf(row.host)}`;
    return [{ kind: 'running', level: 'ok', message: `${row.name} is running${where}` }];
  }
  if (seen.phase === 'Failing') {
    const why = seen.message === undefined ? '' : `: ${seen.message}`;
    return [{ kind: 'failing', level: 'failure', message: `${row.name} is failing${why}` }];
  }
  return [];
}

/** Of every job that came to its end since the last look. */
export function jobStories(row: DeploymentView, { status }: ObservedState): Story[] {
  const before = new Map((row.observed?.jobs ?? []).map(({ name, state }) => [name, state]));
  return (status?.jobs ?? []).flatMap(({ name, state, message }): Story[] => {
    if (state === before.get(name)) return [];
    const about = { kind: 'job', service: name } as const;
    if (state === 'Succeeded') return [{ ...about, level: 'ok', message: `Job ${name} of ${row.name} succeeded` }];
    if (state !== 'Failed') return [];
    const why = message === undefined ? '' : `: ${message}`;
    return [{ ...about, level: 'failure', message: `Job ${name} of ${row.name} failed${why}` }];
  });
}
