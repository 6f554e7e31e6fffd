import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isPodFinished, type Pod } from '../../../schema/kinds/pod.ts';
import { POD } from '../../../schema/resources.ts';
import type { CommandProcess, ExecRequest } from '../../api/node-agent.ts';
import { addressOf } from '../../controllers/controller-context.ts';
import type { RunningContainer } from '../metrics/usage-sampler.ts';
import type { NodeContext } from '../node-context.ts';
import { isInitDone } from '../status/pod-status.ts';
import { RETRY_MS, stepContainer } from './container-step.ts';
import { execInContainer } from './exec-in-container.ts';
import { createPodContainer, type PodContainer } from './pod-container.ts';
import { declaredContainers, graceSeconds, type PodPlace, type PodScene } from './pod-scene.ts';
import { preparePlace } from './prepare-place.ts';
import { createStatusReport } from './report-status.ts';
import { runningContainers } from './running-containers.ts';
import { stopContainer } from './stop-container.ts';

/**
 * Runs one pod, from the first folder to the last. One pass looks at the pod and at its processes and does the next thing
 * that is missing; a pass follows every change of the pod, of what it refers to, and of its processes, and never two at a time.
 *
 *     object gone        kill, remove everything
 *     being deleted      preStop, SIGTERM, grace, SIGKILL; then the object goes, then the folder
 *     finished           nothing runs, the status stands
 *     otherwise          volumes, init containers one by one, containers; restart what ended when its wait is over
 */
export interface PodWorker {
  readonly uid: string;
  trigger(): void;
  containers(): PodContainer[];
  running(): RunningContainer[];
  /** Begins a command in a running container; throws a KubeError when it does not run. */
  exec(request: ExecRequest): CommandProcess;
  /** Ends the pod's processes without touching the object: the node stops. */
  shutDown(): Promise<void>;
  /** Lets the processes run: the next node adopts them. */
  leave(): void;
}

export function createPodWorker(context: NodeContext, first: Pod): PodWorker {
  const uid = first.metadata.uid ?? '';
  const containers = new Map<string, PodContainer>();
  let last = first;
  let dirty = false;
  let running: Promise<void> | undefined;
  let cancelWake: (() => void) | undefined;
  let over = false;

  const scene: PodScene = {
    context,
    uid,
    directory: join(context.podsDirectory, uid),
    current() {
      const pod = context.pods.get(`${first.metadata.namespace}/${first.metadata.name}`);
      if (pod?.metadata.uid !== uid) return undefined;
      last = pod;
      return pod;
    },
    container(name) {
      const found = containers.get(name) ?? openContainer(name);
      containers.set(name, found);
      return found;
    },
  };
  const report = createStatusReport(scene, first.status);

  function openContainer(name: string): PodContainer {
    const directory = join(scene.directory, 'containers', name);
    return createPodContainer({ ...context, name, directory, mark: `${uid}/${name}`, onChange: trigger });
  }

  function trigger(): void {
    dirty = true;
    if (!over) running ??= run();
  }

  async function run(): Promise<void> {
    while (dirty && !over) {
      dirty = false;
      cancelWake?.();
      const wakeMs = await pass().catch((err: unknown) => {
        context.logger.warn({ err, ...addressOf(last) }, 'pod could not be brought forward');
        return RETRY_MS;
      });
      if (wakeMs !== undefined && !over) cancelWake = context.clock.after(wakeMs, trigger);
    }
    running = undefined;
  }

  async function pass(): Promise<number | undefined> {
    const pod = scene.current();
    if (!pod) return remove();
    openDeclared(pod);
    if (pod.metadata.deletionTimestamp) return terminate(pod);
    if (isPodFinished(pod)) return stopAll(pod, () => 0);
    const place = await preparePlace(scene, pod);
    const wakeMs = 'problem' in place ? waitForPlace(pod, place.problem) : await advance(pod, place);
    await report(pod, { podIP: place.podIP, stopping: false });
    return wakeMs;
  }

  function openDeclared(pod: Pod): void {
    for (const { name } of declaredContainers(pod)) scene.container(name);
  }

  function waitForPlace(pod: Pod, message: string): number {
    for (const one of containers.values())
      if (!one.process.record()) one.waiting = { reason: 'ContainerCreating', message };
    context.events.record(pod, { type: 'Warning', reason: 'FailedMount', message });
    return RETRY_MS;
  }

  async function advance(pod: Pod, place: PodPlace): Promise<number | undefined> {
    const initial = await initialise(pod, place);
    if (!initial.done) return initial.wakeMs;
    const { restartPolicy } = pod.spec;
    const waits = [initial.wakeMs];
    for (const container of pod.spec.containers)
      waits.push(await stepContainer(scene, { pod, container, place, restartPolicy }));
    return earliest(waits);
  }

  async function initialise(pod: Pod, place: PodPlace): Promise<{ done: boolean; wakeMs: number | undefined }> {
    const waits: (number | undefined)[] = [];
    for (const container of pod.spec.initContainers ?? []) {
      const isDone = (): boolean => isInitDone(scene.container(container.name).view(container));
      const isSidecar = container.restartPolicy === 'Always';
      // One that succeeded is done, whatever the pod's policy; a sidecar is kept running beside the others.
      const restartPolicy = isSidecar ? 'Always' : pod.spec.restartPolicy === 'Never' ? 'Never' : 'OnFailure';
      if (isSidecar || !isDone()) waits.push(await stepContainer(scene, { pod, container, place, restartPolicy }));
      if (!isDone()) return { done: false, wakeMs: earliest(waits) };
    }
    return { done: true, wakeMs: earliest(waits) };
  }

  async function terminate(pod: Pod): Promise<undefined> {
    await stopAll(pod, () => {
      const now = scene.current();
      return now ? (now.metadata.deletionGracePeriodSeconds ?? graceSeconds(now)) : 0;
    });
    const left = scene.current();
    if (left) {
      await report(left, { podIP: left.status?.podIP, stopping: true });
      const options = { gracePeriodSeconds: 0, preconditions: { uid } };
      await context.tolerateGone(() => context.client.delete(POD, addressOf(left), options));
    }
    return remove();
  }

  async function stopAll(pod: Pod, grace: () => number, withoutSleep = false): Promise<undefined> {
    await Promise.all([...containers.values()].map((one) => stopContainer(scene, one, { pod, grace, withoutSleep })));
  }

  async function remove(): Promise<undefined> {
    await stopAll(last, () => 0);
    leave();
    await rm(scene.directory, { recursive: true, force: true });
    context.pool.release(uid);
    context.onRemoved(uid);
  }

  function leave(): void {
    over = true;
    cancelWake?.();
    for (const one of containers.values()) one.leave();
  }

  openDeclared(first);
  return {
    uid,
    trigger,
    containers: () => [...containers.values()],
    running: () => runningContainers(scene, last),
    exec: (request) => execInContainer(scene, last, request),
    async shutDown() {
      over = true;
      await running;
      await stopAll(last, () => graceSeconds(last), true);
      for (const one of containers.values()) one.process.forgive();
      leave();
    },
    leave,
  };
}

function earliest(waits: (number | undefined)[]): number | undefined {
  const known = waits.filter((wait) => wait !== undefined);
  return known.length > 0 ? Math.min(...known) : undefined;
}
