import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { delay } from '../../client/clock.ts';
import { type Container, isPodFinished, type Pod, type PodStatus } from '../../schema/kinds/pod.ts';
import { POD } from '../../schema/resources.ts';
import { isKubeError } from '../../schema/status.ts';
import { addressOf } from '../controllers/controller-context.ts';
import { LISTEN_PORTS_ANNOTATION } from '../controllers/endpoint-slice/desired-slices.ts';
import { stableJson } from '../controllers/stable-hash.ts';
import { containerLaunch, declarationOf } from './container-launch.ts';
import { ContainerConfigError } from './environment/container-config-error.ts';
import { freePort } from './free-port.ts';
import type { NodeContext } from './node-context.ts';
import { createPodContainer, type PodContainer } from './pod-container.ts';
import type { Launch } from './process/container-process.ts';
import { restartWait, shouldRestart } from './process/restart-backoff.ts';
import { isInitDone, podStatus } from './status/pod-status.ts';
import { linkMounts, makeFolder, preparePodVolumes } from './volumes/pod-volumes.ts';

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
  /** Ends the pod's processes without touching the object: the node stops. */
  shutDown(): Promise<void>;
  leave(): void;
}

/** What refers to something that is not there is looked at again this often, besides when it changes. */
const RETRY_MS = 2000;
const KILL_WAIT_MS = 10_000;

export function createPodWorker(context: NodeContext, first: Pod): PodWorker {
  const uid = first.metadata.uid ?? '';
  const directory = join(context.podsDirectory, uid);
  const containers = new Map<string, PodContainer>();
  let last = first;
  let lastStatus: PodStatus | undefined = first.status;
  let dirty = false;
  let running: Promise<void> | undefined;
  let cancelWake: (() => void) | undefined;
  let over = false;

  /** The object now; undefined once it is gone, also when another has its name. */
  function current(): Pod | undefined {
    const pod = context.pods.get(`${first.metadata.namespace}/${first.metadata.name}`);
    if (pod?.metadata.uid !== uid) return undefined;
    last = pod;
    return pod;
  }

  function container(name: string): PodContainer {
    let found = containers.get(name);
    if (!found) {
      found = createPodContainer({
        ...context,
        name,
        directory: join(directory, 'containers', name),
        mark: `${uid}/${name}`,
        onChange: trigger,
      });
      containers.set(name, found);
    }
    return found;
  }

  function trigger(): void {
    dirty = true;
    if (!over) running ??= run();
  }

  async function run(): Promise<void> {
    while (dirty && !over) {
      dirty = false;
      cancelWake?.();
      let wakeMs: number | undefined;
      try {
        wakeMs = await pass();
      } catch (err) {
        context.logger.warn({ err, ...addressOf(last) }, 'pod could not be brought forward');
        wakeMs = RETRY_MS;
      }
      if (wakeMs !== undefined && !over) cancelWake = context.clock.after(wakeMs, trigger);
    }
    running = undefined;
  }

  async function pass(): Promise<number | undefined> {
    const pod = current();
    if (!pod) return remove();
    if (pod.metadata.deletionTimestamp) return terminate(pod);
    for (const { name } of declared(pod)) container(name);
    if (isPodFinished(pod)) return stopAll(pod, () => 0);
    return advance(pod);
  }

  async function advance(pod: Pod): Promise<number | undefined> {
    const place = await prepare(pod);
    if ('problem' in place) {
      for (const { name } of declared(pod)) container(name).waiting ??= { reason: 'ContainerCreating' };
      context.events.record(pod, { type: 'Warning', reason: place.reason, message: place.problem });
      await report(pod, place.podIP);
      return RETRY_MS;
    }
    const waits: number[] = [];
    let initialised = true;
    for (const init of pod.spec.initContainers ?? []) {
      const keepsRunning = init.restartPolicy === 'Always';
      if (keepsRunning || !isInitDone(container(init.name).view(init))) {
        waits.push(...(await step(pod, init, { place, policy: keepsRunning ? 'Always' : initPolicy(pod) })));
      }
      initialised = isInitDone(container(init.name).view(init));
      if (!initialised) break;
    }
    for (const main of initialised ? pod.spec.containers : []) {
      waits.push(...(await step(pod, main, { place, policy: pod.spec.restartPolicy })));
    }
    await report(pod, place.podIP);
    return waits.length > 0 ? Math.min(...waits) : undefined;
  }

  /** Starts, restarts, probes or waits for one container. Returns when to look again, if no event tells. */
  async function step(
    pod: Pod,
    declaredContainer: Container,
    how: { place: Place; policy: string | undefined },
  ): Promise<number[]> {
    const one = container(declaredContainer.name);
    const record = one.process.record();
    if (one.process.isRunning() && record?.declaration !== declarationOf(declaredContainer)) {
      const message = `Container ${one.name} definition changed, will be restarted`;
      context.events.record(pod, { type: 'Normal', reason: 'Killing', message });
      await stopOne(pod, one, () => grace(pod));
    }
    if (one.process.isRunning()) {
      probe(pod, declaredContainer, how.place);
      return [];
    }
    const ended = one.process.record();
    if (ended) {
      const isChanged = ended.declaration !== declarationOf(declaredContainer);
      if (!isChanged && !shouldRestart(how.policy, ended.termination?.exitCode ?? 0)) {
        one.waiting = undefined;
        return [];
      }
      const wait = isChanged ? 0 : restartWait(ended, context.clock.now(), context.restart);
      if (wait > 0) {
        const backoff = `back-off ${Math.round(ended.backoffMs / 1000)}s restarting failed container=${one.name}`;
        const message = `${backoff} pod=${pod.metadata.name}_${pod.metadata.namespace}(${uid})`;
        one.waiting = { reason: 'CrashLoopBackOff', message };
        context.events.record(pod, {
          type: 'Warning',
          reason: 'BackOff',
          message: `Back-off restarting failed container ${one.name}`,
        });
        return [wait];
      }
    }
    return start(pod, declaredContainer, how.place);
  }

  async function start(pod: Pod, declaredContainer: Container, place: Place): Promise<number[]> {
    const one = container(declaredContainer.name);
    try {
      const launch = launchOf(pod, declaredContainer, place);
      const root = launch.environment.CLUSTER_ROOT ?? '';
      await makeFolder(join(root, 'tmp'), context.workloadUser);
      await makeFolder(root, context.workloadUser);
      await linkMounts({ pod, user: context.workloadUser }, declaredContainer, {
        root,
        volumes: place.volumes,
        environment: launch.environment,
      });
      await makeFolder(launch.directory, context.workloadUser);
      one.start(launch);
      context.events.record(pod, { type: 'Normal', reason: 'Started', message: `Started container ${one.name}` });
      void one
        .runHook({ container: declaredContainer, ...place, address: place.podIP, launch }, 'postStart', 30_000)
        .catch((error: Error) => {
          context.events.record(pod, { type: 'Warning', reason: 'FailedPostStartHook', message: error.message });
          one.process.signal('SIGKILL');
        });
      probe(pod, declaredContainer, place);
      return [];
    } catch (error) {
      if (!(error instanceof ContainerConfigError)) throw error;
      // As the kubelet: the first refusal is the error, those that follow are the wait for the next try.
      const again = one.waiting?.message === error.message && error.reason === 'ErrImagePull';
      one.waiting = { reason: again ? 'ImagePullBackOff' : error.reason, message: error.message };
      context.events.record(pod, { type: 'Warning', reason: 'Failed', message: `Error: ${error.message}` });
      return [RETRY_MS];
    }
  }

  function probe(pod: Pod, declaredContainer: Container, place: Place): void {
    const one = container(declaredContainer.name);
    const before = pod.status?.containerStatuses?.find(({ name }) => name === one.name);
    const same = before?.restartCount === one.process.record()?.attempt && before?.state.running !== undefined;
    let launch: Launch;
    try {
      launch = launchOf(pod, declaredContainer, place);
    } catch {
      // What it was started with is gone (a deleted Secret); its probes need only the folder and the address.
      launch = {
        argv: [],
        environment: {},
        directory: directory,
        user: context.workloadUser,
        declaration: '',
        image: '',
      };
    }
    one.probe({
      container: declaredContainer,
      address: place.podIP,
      listenPorts: place.listenPorts,
      launch,
      assume: { started: same && before?.started === true, ready: same && before?.ready === true },
      onFailure({ kind, message, verdict }) {
        const title = `${kind[0]?.toUpperCase()}${kind.slice(1)}`;
        context.events.record(pod, {
          type: 'Warning',
          reason: 'Unhealthy',
          message: `${title} probe failed: ${message}`,
        });
        if (!verdict) return;
        const killing = `Container ${one.name} failed ${kind} probe, will be restarted`;
        context.events.record(pod, { type: 'Normal', reason: 'Killing', message: killing });
        void stopOne(pod, one, () => grace(pod));
      },
    });
  }

  function launchOf(pod: Pod, declaredContainer: Container, place: Place): Launch {
    const namespace = pod.metadata.namespace ?? '';
    return containerLaunch({
      pod,
      container: declaredContainer,
      images: context.images,
      addresses: context.addresses(place.podIP),
      listenPorts: place.listenPorts,
      source: context.source(namespace),
      services: context.servicesOf(namespace),
      hostsFile: context.hostsFile,
      root: join(directory, 'containers', declaredContainer.name, 'root'),
      user: context.workloadUser,
    });
  }

  interface Place {
    podIP: string;
    listenPorts: Record<string, number>;
    volumes: Map<string, string>;
  }

  async function prepare(pod: Pod): Promise<Place | { problem: string; reason: string; podIP: string | undefined }> {
    const podIP = context.addressMode === 'shared' ? '127.0.0.1' : context.pool.take(uid);
    await makeFolder(directory, context.workloadUser);
    await makeFolder(join(directory, 'volumes'), context.workloadUser);
    const listenPorts = context.addressMode === 'shared' ? await movePorts(pod) : {};
    try {
      const volumes = await preparePodVolumes({
        pod,
        directory: join(directory, 'volumes'),
        user: context.workloadUser,
        addresses: context.addresses(podIP),
        source: context.source(pod.metadata.namespace ?? ''),
        claimDirectory: context.claimDirectory,
      });
      return { podIP, listenPorts, volumes };
    } catch (error) {
      if (!(error instanceof ContainerConfigError)) throw error;
      return { problem: error.message, reason: 'FailedMount', podIP };
    }
  }

  /** One loopback address for all pods: every declared port is moved to a free one, kept on disk and told to the endpoints. */
  async function movePorts(pod: Pod): Promise<Record<string, number>> {
    const file = join(directory, 'listen-ports.json');
    let ports: Record<string, number>;
    if (existsSync(file)) {
      ports = JSON.parse(readFileSync(file, 'utf8')) as Record<string, number>;
    } else {
      ports = {};
      for (const { containerPort } of pod.spec.containers.flatMap((one) => one.ports ?? [])) {
        ports[String(containerPort)] ??= await freePort();
      }
      writeFileSync(file, JSON.stringify(ports));
    }
    const text = JSON.stringify(ports);
    if (pod.metadata.annotations?.[LISTEN_PORTS_ANNOTATION] !== text) {
      const body = { metadata: { uid, annotations: { [LISTEN_PORTS_ANNOTATION]: text } } };
      await context.client.patch(POD, addressOf(pod), { type: 'merge', body });
    }
    return ports;
  }

  async function terminate(pod: Pod): Promise<undefined> {
    for (const { name } of declared(pod)) container(name);
    await stopAll(pod, () => {
      const now = current();
      return now ? (now.metadata.deletionGracePeriodSeconds ?? grace(now)) : 0;
    });
    const left = current();
    if (left) {
      await report(left, left.status?.podIP, true);
      await context.tolerateGone(() =>
        context.client.delete(POD, addressOf(left), { gracePeriodSeconds: 0, preconditions: { uid } }),
      );
    }
    return remove();
  }

  async function stopAll(pod: Pod, graceSeconds: () => number): Promise<undefined> {
    await Promise.all([...containers.values()].map((one) => stopOne(pod, one, graceSeconds)));
  }

  async function stopOne(pod: Pod, one: PodContainer, graceSeconds: () => number): Promise<void> {
    if (!one.process.isRunning()) return;
    const attempt = one.process.record()?.attempt;
    const isUp = (): boolean => one.process.isRunning() && one.process.record()?.attempt === attempt;
    const began = context.clock.monotonic();
    const isInTime = (): boolean => context.clock.monotonic() - began < graceSeconds() * 1000;
    context.events.record(pod, { type: 'Normal', reason: 'Killing', message: `Stopping container ${one.name}` });
    await preStop(pod, one, graceSeconds() * 1000);
    if (isUp()) one.process.signal('SIGTERM');
    while (isUp() && isInTime()) await delay(context.clock, 20);
    if (isUp()) one.process.signal('SIGKILL');
    while (isUp() && context.clock.monotonic() - began < graceSeconds() * 1000 + KILL_WAIT_MS)
      await delay(context.clock, 20);
    if (isUp()) throw new Error(`container ${one.name} of pod ${pod.metadata.name} does not end`);
  }

  async function preStop(pod: Pod, one: PodContainer, timeoutMs: number): Promise<void> {
    const declaredContainer = declared(pod).find(({ name }) => name === one.name);
    if (!declaredContainer?.lifecycle?.preStop || timeoutMs === 0) return;
    try {
      const place = { podIP: pod.status?.podIP ?? '', listenPorts: {}, volumes: new Map<string, string>() };
      const launch = launchOf(pod, declaredContainer, place);
      await one.runHook({ container: declaredContainer, ...place, address: place.podIP, launch }, 'preStop', timeoutMs);
    } catch (error) {
      context.events.record(pod, { type: 'Warning', reason: 'FailedPreStopHook', message: String(error) });
    }
  }

  async function remove(): Promise<undefined> {
    await stopAll(last, () => 0);
    for (const one of containers.values()) one.leave();
    over = true;
    await rm(directory, { recursive: true, force: true });
    context.pool.release(uid);
    context.onRemoved(uid);
  }

  async function report(pod: Pod, podIP: string | undefined, stopping = false): Promise<void> {
    const view = (one: Container) => container(one.name).view(one);
    const status = podStatus({
      pod,
      init: (pod.spec.initContainers ?? []).map(view),
      main: pod.spec.containers.map(view),
      hostIP: context.hostIP,
      podIP,
      startedAt: Date.parse(pod.status?.startTime ?? '') || context.clock.now(),
      now: context.clock.now(),
      stopping,
    });
    if (stableJson(status) === stableJson(lastStatus) && stableJson(status) === stableJson(pod.status)) return;
    const body = { metadata: { uid }, status };
    try {
      await context.client.patch(POD, addressOf(pod), { type: 'merge', body }, { subresource: 'status' });
      lastStatus = status;
    } catch (error) {
      if (!isKubeError(error, 'NotFound') && !isKubeError(error, 'Conflict')) throw error;
    }
  }

  // An earlier node may have left processes of containers that the pod no longer names.
  for (const { name } of declared(first)) container(name);
  return {
    uid,
    trigger,
    containers: () => [...containers.values()],
    async shutDown() {
      over = true;
      cancelWake?.();
      await running;
      await stopAll(last, () => grace(last));
      for (const one of containers.values()) {
        one.process.forgive();
        one.leave();
      }
    },
    leave() {
      over = true;
      cancelWake?.();
      for (const one of containers.values()) one.leave();
    },
  };
}

function declared(pod: Pod): Container[] {
  return [...(pod.spec.initContainers ?? []), ...pod.spec.containers];
}

function grace(pod: Pod): number {
  return pod.spec.terminationGracePeriodSeconds ?? 30;
}

/** An init container that succeeded is done, whatever the pod's policy. */
function initPolicy(pod: Pod): string {
  return pod.spec.restartPolicy === 'Never' ? 'Never' : 'OnFailure';
}
