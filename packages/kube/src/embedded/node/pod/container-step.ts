import { join } from 'node:path';
import type { Container, Pod } from '../../../schema/kinds/pod.ts';
import { ContainerConfigError } from '../environment/container-config-error.ts';
import type { Launch } from '../process/container-process.ts';
import { restartWait, shouldRestart } from '../process/restart-backoff.ts';
import { linkMounts, makeFolder } from '../volumes/pod-volumes.ts';
import { declarationOf } from './container-launch.ts';
import { graceSeconds, launchOf, type PodPlace, type PodScene } from './pod-scene.ts';
import { stopContainer } from './stop-container.ts';

export interface StepInput {
  pod: Pod;
  container: Container;
  place: PodPlace;
  restartPolicy: string | undefined;
}

/** What refers to something that is not there is looked at again this often, besides when it changes. */
export const RETRY_MS = 2000;
const POST_START_TIMEOUT_MS = 30_000;

/** Starts, restarts or probes one container, or lets it wait. Returns when to look again where no event will tell. */
export async function stepContainer(scene: PodScene, input: StepInput): Promise<number | undefined> {
  const one = scene.container(input.container.name);
  const declaration = declarationOf(input.container);
  if (one.process.isRunning() && one.process.record()?.declaration !== declaration) {
    const message = `Container ${one.name} definition changed, will be restarted`;
    scene.context.events.record(input.pod, { type: 'Normal', reason: 'Killing', message });
    await stopContainer(scene, one, { pod: input.pod, grace: () => graceSeconds(input.pod) });
  }
  if (one.process.isRunning()) {
    probe(scene, input);
    return undefined;
  }
  const ended = one.process.record();
  if (ended?.declaration === declaration) {
    if (!shouldRestart(input.restartPolicy, ended.termination?.exitCode ?? 0)) {
      one.waiting = undefined;
      return undefined;
    }
    const wait = restartWait(ended, scene.context.clock.now(), scene.context.restart);
    if (wait > 0) return backOff(scene, input, wait);
  }
  return start(scene, input);
}

function backOff(scene: PodScene, { pod, container }: StepInput, wait: number): number {
  const one = scene.container(container.name);
  const seconds = Math.round((one.process.record()?.backoffMs ?? 0) / 1000);
  const { name, namespace } = pod.metadata;
  const message = `back-off ${seconds}s restarting failed container=${one.name} pod=${name}_${namespace}(${scene.uid})`;
  one.waiting = { reason: 'CrashLoopBackOff', message };
  const event = `Back-off restarting failed container ${one.name} in pod ${name}_${namespace}(${scene.uid})`;
  scene.context.events.record(pod, { type: 'Warning', reason: 'BackOff', message: event });
  return wait;
}

async function start(scene: PodScene, input: StepInput): Promise<number | undefined> {
  const { pod, container } = input;
  const one = scene.container(container.name);
  try {
    const launch = launchOf(scene, container, input);
    await makeRoot(scene, input, launch);
    one.start(launch);
    scene.context.events.record(pod, { type: 'Normal', reason: 'Started', message: `Started container ${one.name}` });
    runPostStart(scene, input, launch);
    probe(scene, input);
    return undefined;
  } catch (error) {
    if (!(error instanceof ContainerConfigError)) throw error;
    // As the kubelet: the first refusal is the error, those that follow are the wait for the next try.
    const again = error.reason === 'ErrImagePull' && one.waiting?.message === error.message;
    one.waiting = { reason: again ? 'ImagePullBackOff' : error.reason, message: error.message };
    scene.context.events.record(pod, { type: 'Warning', reason: 'Failed', message: `Error: ${error.message}` });
    return RETRY_MS;
  }
}

async function makeRoot({ context }: PodScene, { pod, container, place }: StepInput, launch: Launch): Promise<void> {
  const root = launch.environment.CLUSTER_ROOT ?? launch.directory;
  const user = context.workloadUser;
  await makeFolder(root, user);
  await makeFolder(join(root, 'tmp'), user);
  await linkMounts({ pod, user }, container, { root, volumes: place.volumes, environment: launch.environment });
  await makeFolder(launch.directory, user);
}

function runPostStart(scene: PodScene, { pod, container, place }: StepInput, launch: Launch): void {
  const one = scene.container(container.name);
  const hook = { container, ...place, address: place.podIP, launch };
  one.runHook(hook, 'postStart', { timeoutMs: POST_START_TIMEOUT_MS }).catch((error: Error) => {
    scene.context.events.record(pod, { type: 'Warning', reason: 'FailedPostStartHook', message: error.message });
    one.process.signal('SIGKILL');
  });
}

function probe(scene: PodScene, input: StepInput): void {
  const { pod, container, place } = input;
  const { events, logger } = scene.context;
  const one = scene.container(container.name);
  const before = pod.status?.containerStatuses?.find(({ name }) => name === one.name);
  const isSame = before?.restartCount === one.process.record()?.attempt && before?.state.running !== undefined;
  one.probe({
    container,
    address: place.podIP,
    listenPorts: place.listenPorts,
    launch: launchForProbes(scene, input),
    assume: { started: isSame && before?.started === true, ready: isSame && before?.ready === true },
    onFailure({ kind, message, verdict }) {
      const title = `${kind[0]?.toUpperCase()}${kind.slice(1)}`;
      events.record(pod, { type: 'Warning', reason: 'Unhealthy', message: `${title} probe failed: ${message}` });
      if (!verdict) return;
      const killing = `Container ${one.name} failed ${kind} probe, will be restarted`;
      events.record(pod, { type: 'Normal', reason: 'Killing', message: killing });
      stopContainer(scene, one, { pod, grace: () => graceSeconds(pod) }).catch((err: unknown) => {
        logger.warn({ err, container: one.name }, 'container that failed its probe could not be stopped');
      });
    },
  });
}

/** For an adopted container the Secret it was started with may be gone: its probes need an address and a folder only. */
function launchForProbes(scene: PodScene, input: StepInput): Launch {
  try {
    return launchOf(scene, input.container, input);
  } catch (error) {
    if (!(error instanceof ContainerConfigError)) throw error;
    const environment = { PATH: '/usr/bin:/bin' };
    const { directory, context } = scene;
    return { argv: [], environment, directory, user: context.workloadUser, declaration: '', image: '' };
  }
}
