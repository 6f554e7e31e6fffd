import type { Pod } from '../../../schema/kinds/pod.ts';
import type { RunningContainer } from '../metrics/usage-sampler.ts';
import { signalProcess } from '../process/process-identity.ts';
import { memoryLimitOf } from './memory-limit.ts';
import { declaredContainers, type PodScene } from './pod-scene.ts';

const MIB = 2 ** 20;

/** What of a pod runs now, for whoever measures it. */
export function runningContainers(scene: PodScene, pod: Pod): RunningContainer[] {
  const { name: podName, namespace = '' } = pod.metadata;
  return declaredContainers(pod).flatMap((declared) => {
    const { process } = scene.container(declared.name);
    const leader = process.isRunning() ? process.record()?.process : undefined;
    if (!leader) return [];
    const memoryLimitBytes = memoryLimitOf(declared);
    return {
      namespace,
      pod: podName,
      uid: scene.uid,
      name: declared.name,
      leader,
      memoryLimitBytes,
      endOverLimit(pids, bytes) {
        const message = `container ${declared.name} held ${toMib(bytes)} MiB of memory, more than its limit of ${toMib(memoryLimitBytes ?? 0)} MiB`;
        scene.context.events.record(pod, { type: 'Warning', reason: 'OOMKilling', message });
        process.kill({ reason: 'OOMKilled', message });
        for (const pid of pids) signalProcess(pid, 'SIGKILL');
      },
    };
  });
}

function toMib(bytes: number): number {
  return Math.ceil(bytes / MIB);
}
