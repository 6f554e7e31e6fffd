import { join } from 'node:path';
import type { Container, Pod } from '../../../schema/kinds/pod.ts';
import { listenPorts } from '../../controllers/endpoint-slice/desired-slices.ts';
import type { NodeContext } from '../node-context.ts';
import type { Launch } from '../process/container-process.ts';
import { containerLaunch } from './container-launch.ts';
import type { PodContainer } from './pod-container.ts';

/** One pod on this node, as all that works on it sees it. */
export interface PodScene {
  context: NodeContext;
  uid: string;
  directory: string;
  /** The object now; undefined once it is gone, also when another has its name. */
  current(): Pod | undefined;
  /** Made on first use; takes up what an earlier node left. */
  container(name: string): PodContainer;
}

/** What the pod's containers start in. */
export interface PodPlace {
  podIP: string;
  listenPorts: Record<string, number>;
  volumes: Map<string, string>;
}

/** Where a pod runs by what it says itself, for what needs no volumes. */
export function placeOf(pod: Pod): PodPlace {
  return { podIP: pod.status?.podIP ?? '', listenPorts: listenPorts(pod), volumes: new Map() };
}

export function declaredContainers(pod: Pod): Container[] {
  return [...(pod.spec.initContainers ?? []), ...pod.spec.containers];
}

export function graceSeconds(pod: Pod): number {
  return pod.spec.terminationGracePeriodSeconds ?? 30;
}

export function launchOf(scene: PodScene, container: Container, at: { pod: Pod; place: PodPlace }): Launch {
  const { context, directory } = scene;
  const namespace = at.pod.metadata.namespace ?? '';
  return containerLaunch({
    ...context,
    pod: at.pod,
    container,
    user: context.workloadUser,
    addresses: context.addresses(at.place.podIP),
    listenPorts: at.place.listenPorts,
    source: context.source(namespace),
    services: context.servicesOf(namespace),
    root: join(directory, 'containers', container.name, 'root'),
  });
}
