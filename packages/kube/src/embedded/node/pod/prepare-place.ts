import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Pod } from '../../../schema/kinds/pod.ts';
import { POD } from '../../../schema/resources.ts';
import { addressOf } from '../../controllers/controller-context.ts';
import { LISTEN_PORTS_ANNOTATION } from '../../controllers/endpoint-slice/desired-slices.ts';
import { ContainerConfigError } from '../environment/container-config-error.ts';
import { freePort } from '../free-port.ts';
import { readJson } from '../read-json.ts';
import { makeFolder, preparePodVolumes } from '../volumes/pod-volumes.ts';
import type { PodPlace, PodScene } from './pod-scene.ts';

/** Why the place is not ready yet; the address is the pod's already. */
export interface PlaceProblem {
  problem: string;
  podIP: string;
}

const SHARED_ADDRESS = '127.0.0.1';

/** The pod's address, folders and volumes. Run again, it brings volumes made of API objects up to date. */
export async function preparePlace(scene: PodScene, pod: Pod): Promise<PodPlace | PlaceProblem> {
  const { context, directory, uid } = scene;
  const isShared = context.addressMode === 'shared';
  const podIP = isShared ? SHARED_ADDRESS : context.pool.take(uid);
  const volumesDirectory = join(directory, 'volumes');
  await makeFolder(directory, context.workloadUser);
  await makeFolder(volumesDirectory, context.workloadUser);
  const listenPorts = isShared ? await movePorts(scene, pod) : {};
  try {
    const volumes = await preparePodVolumes({
      pod,
      directory: volumesDirectory,
      user: context.workloadUser,
      addresses: context.addresses(podIP),
      source: context.source(pod.metadata.namespace ?? ''),
      claimDirectory: context.claimDirectory,
    });
    return { podIP, listenPorts, volumes };
  } catch (error) {
    if (!(error instanceof ContainerConfigError)) throw error;
    return { problem: error.message, podIP };
  }
}

/** One loopback address for all pods: every declared port is moved to a free one, kept on disk and told to the endpoints. */
async function movePorts({ context, directory, uid }: PodScene, pod: Pod): Promise<Record<string, number>> {
  const ports = await knownPorts(join(directory, 'listen-ports.json'), pod);
  const text = JSON.stringify(ports);
  if (pod.metadata.annotations?.[LISTEN_PORTS_ANNOTATION] !== text) {
    const body = { metadata: { uid, annotations: { [LISTEN_PORTS_ANNOTATION]: text } } };
    await context.client.patch(POD, addressOf(pod), { type: 'merge', body });
  }
  return ports;
}

async function knownPorts(file: string, pod: Pod): Promise<Record<string, number>> {
  const known = readJson(file) as Record<string, number> | undefined;
  if (known) return known;
  const ports: Record<string, number> = {};
  for (const { containerPort } of pod.spec.containers.flatMap((one) => one.ports ?? [])) {
    ports[String(containerPort)] ??= await freePort();
  }
  writeFileSync(file, JSON.stringify(ports));
  return ports;
}
