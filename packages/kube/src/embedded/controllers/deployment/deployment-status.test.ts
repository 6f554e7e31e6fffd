import { describe, expect, it } from 'vitest';
import type { Deployment, ReplicaSet } from '../../../schema/kinds/workload.ts';
import { deploymentStatus, isComplete, untilDeadline } from './deployment-status.ts';

const NOW = Date.UTC(2026, 0, 1);
const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [] } };
const selector = { matchLabels: { app: 'a' } };

function deployment(status?: Deployment['status']): Deployment {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', generation: 3 },
    spec: { replicas: 2, selector, template, progressDeadlineSeconds: 60 },
    ...(status ? { status } : {}),
  };
}
const set = (name: string, replicas: number, available: number): ReplicaSet => ({
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  metadata: { name },
  spec: { replicas, selector, template },
  status: { replicas, readyReplicas: available, availableReplicas: available },
});
const look = (of: Deployment, current: ReplicaSet, old: ReplicaSet[] = [], now = NOW) =>
  deploymentStatus({ deployment: of, current, sets: [...old, current], now });
const reason = (status: ReturnType<typeof look>, type: string) =>
  status.conditions?.find((condition) => condition.type === type)?.reason;

describe('the status of a Deployment', () => {
  it('is complete when all pods are new and available', () => {
    const status = look(deployment(), set('new', 2, 2));
    expect(status).toMatchObject({
      observedGeneration: 3,
      updatedReplicas: 2,
      availableReplicas: 2,
      unavailableReplicas: 0,
    });
    expect(isComplete(deployment(), status)).toBe(true);
    expect([reason(status, 'Available'), reason(status, 'Progressing')]).toEqual([
      'MinimumReplicasAvailable',
      'NewReplicaSetAvailable',
    ]);
  });

  it('is not complete while an old pod is left', () => {
    const status = look(deployment(), set('new', 2, 2), [set('old', 1, 1)]);
    expect(isComplete(deployment(), status)).toBe(false);
    expect(reason(status, 'Progressing')).toBe('NewReplicaSetCreated');
  });

  it('says after the deadline that nothing moves, and only then', () => {
    const begun = look(deployment(), set('new', 2, 0));
    const waiting = look(deployment(begun), set('new', 2, 0), [], NOW + 59_000);
    expect(reason(waiting, 'Progressing')).toBe('NewReplicaSetCreated');
    expect(untilDeadline(deployment(waiting), waiting, NOW + 59_000)).toBe(2000);
    const late = look(deployment(waiting), set('new', 2, 0), [], NOW + 61_000);
    expect(reason(late, 'Progressing')).toBe('ProgressDeadlineExceeded');
    const healed = look(deployment(late), set('new', 2, 1), [], NOW + 70_000);
    expect(reason(healed, 'Progressing')).toBe('ReplicaSetUpdated');
  });

  it('is the very same when nothing has changed, so that nothing is written', () => {
    const first = look(deployment(), set('new', 2, 2));
    const again = look(deployment(first), set('new', 2, 2), [], NOW + 5_000_000);
    expect(again).toEqual(first);
  });
});
