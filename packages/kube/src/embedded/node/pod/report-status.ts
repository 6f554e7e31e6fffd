import type { Container, Pod, PodStatus } from '../../../schema/kinds/pod.ts';
import { POD } from '../../../schema/resources.ts';
import { isKubeError } from '../../../schema/status.ts';
import { addressOf } from '../../controllers/controller-context.ts';
import { stableJson } from '../../controllers/stable-hash.ts';
import { podStatus } from '../status/pod-status.ts';
import type { PodScene } from './pod-scene.ts';

/** Writes the pod's status when it differs from what is there. */
export type ReportStatus = (pod: Pod, state: { podIP: string | undefined; stopping: boolean }) => Promise<void>;

export function createStatusReport(scene: PodScene, before: PodStatus | undefined): ReportStatus {
  /** What we wrote last: the cache may not show it yet, and times must not move because of that. */
  let written = before;
  return async (pod, { podIP, stopping }) => {
    const { context } = scene;
    const view = (one: Container) => scene.container(one.name).view(one);
    const status = podStatus({
      pod: { ...pod, status: withOwnConditions(pod.status, written) },
      init: (pod.spec.initContainers ?? []).map(view),
      main: pod.spec.containers.map(view),
      hostIP: context.hostIP,
      podIP,
      startedAt: Date.parse(written?.startTime ?? '') || context.clock.now(),
      now: context.clock.now(),
      stopping,
    });
    const text = stableJson(status);
    if (text === stableJson(written) && text === stableJson(pod.status)) return;
    const body = { metadata: { uid: scene.uid }, status };
    try {
      await context.client.patch(POD, addressOf(pod), { type: 'merge', body }, { subresource: 'status' });
      written = status;
    } catch (error) {
      // Gone, or another of the same name: there is nobody to tell.
      if (!isKubeError(error, 'NotFound') && !isKubeError(error, 'Conflict')) throw error;
    }
  };
}

/** Our conditions as we wrote them, those of others as they are now. */
function withOwnConditions(now: PodStatus | undefined, written: PodStatus | undefined): PodStatus {
  const own = written?.conditions ?? [];
  const types = new Set(own.map(({ type }) => type));
  const others = (now?.conditions ?? []).filter(({ type }) => !types.has(type));
  return { ...(written ?? now), conditions: [...own, ...others] };
}
