import { isPodReady, type Pod, podCondition } from '../../../schema/kinds/pod.ts';
import type { ReplicaSet } from '../../../schema/kinds/workload.ts';

/** A pod counts as available once it has been ready for `minReadySeconds`. Milliseconds until then, 0 when it is. */
export function untilAvailable(pod: Pod, minReadySeconds: number, now: number): number | undefined {
  if (!isPodReady(pod)) return undefined;
  const since = Date.parse(podCondition(pod, 'Ready')?.lastTransitionTime ?? '') || now;
  return Math.max(0, since + minReadySeconds * 1000 - now);
}

export function replicaSetStatus(set: ReplicaSet, pods: Pod[], now: number): NonNullable<ReplicaSet['status']> {
  const labels = Object.entries(set.spec.template.metadata?.labels ?? {});
  const waits = pods.map((pod) => untilAvailable(pod, set.spec.minReadySeconds ?? 0, now));
  return {
    replicas: pods.length,
    fullyLabeledReplicas: pods.filter((pod) => labels.every(([key, value]) => pod.metadata.labels?.[key] === value))
      .length,
    readyReplicas: pods.filter(isPodReady).length,
    availableReplicas: waits.filter((wait) => wait === 0).length,
    observedGeneration: set.metadata.generation ?? 0,
  };
}
