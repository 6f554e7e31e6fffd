import type { Pod } from '../../../schema/kinds/pod.ts';
import { KubeError } from '../../../schema/status.ts';
import type { CommandProcess, ExecRequest } from '../../api/node-agent.ts';
import { ContainerConfigError } from '../environment/container-config-error.ts';
import { declaredContainers, launchOf, type PodScene, placeOf } from './pod-scene.ts';

/** What a user of the container gets who comes to it later: everything its own process has. */
export function execInContainer(scene: PodScene, pod: Pod, request: ExecRequest): CommandProcess {
  const { container: name } = request;
  const declared = declaredContainers(pod).find((one) => one.name === name);
  const container = declared && scene.container(name);
  if (!declared || !container?.process.isRunning()) throw notRunning(pod, name, container?.waiting);
  try {
    return container.exec(() => launchOf(scene, declared, { pod, place: placeOf(pod) }), request);
  } catch (error) {
    if (!(error instanceof ContainerConfigError)) throw error;
    // What it was started with is gone meanwhile, such as its Secret.
    throw new KubeError(400, 'BadRequest', `container "${name}" of pod "${pod.metadata.name}": ${error.message}`);
  }
}

export function notRunning(pod: Pod, container: string, waiting?: { reason: string; message?: string }): KubeError {
  const why = waiting ? `: ${waiting.reason}${waiting.message ? `: ${waiting.message}` : ''}` : '';
  return new KubeError(
    400,
    'BadRequest',
    `container "${container}" of pod "${pod.metadata.name}" is not running${why}`,
  );
}
