import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Pod } from '../../schema/kinds/pod.ts';
import { isHeadless, type Service } from '../../schema/kinds/service.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../../schema/kinds/storage.ts';
import type { KubeObject } from '../../schema/object.ts';
import {
  CONFIG_MAP,
  NODE,
  PERSISTENT_VOLUME,
  PERSISTENT_VOLUME_CLAIM,
  POD,
  SECRET,
  SERVICE,
} from '../../schema/resources.ts';
import { isKubeError } from '../../schema/status.ts';
import type { NodeAgent } from '../api/node-agent.ts';
import { BY_NAMESPACE } from '../caches.ts';
import type { ControllerContext } from '../controllers/controller-context.ts';
import { openAddressPool } from './address-pool.ts';
import { createNodeAgent } from './create-node-agent.ts';
import { ContainerConfigError } from './environment/container-config-error.ts';
import { endUnrecorded, removeForgottenPods } from './forgotten-pods.ts';
import type { ImageCatalogue } from './image-catalogue.ts';
import { LOG_LIMITS, type LogLimits } from './logs/container-log.ts';
import { createUsageSampler, MEASURING_TIMINGS, type MeasuringTimings } from './metrics/usage-sampler.ts';
import type { NodeContext } from './node-context.ts';
import { isTold, nodeObject, nodeStatus } from './node-object.ts';
import { createPodWorker, type PodWorker } from './pod/pod-worker.ts';
import type { WorkloadUser } from './process/container-process.ts';
import { hasProcessTable } from './process/process-table.ts';
import { RESTART_TIMINGS, type RestartTimings } from './process/restart-backoff.ts';
import { openForWalking } from './reachable.ts';
import { createScheduler } from './scheduler.ts';

export interface NodeOptions extends ControllerContext {
  dataDirectory: string;
  volumesDirectory: string;
  hostsFile: string;
  images: ImageCatalogue;
  workloadUser?: WorkloadUser;
  addressMode?: 'per-pod' | 'shared';
  name?: string;
  restart?: RestartTimings;
  logLimits?: LogLimits;
  pollMs?: number;
  measuring?: MeasuringTimings;
}

export interface EmbeddedNode {
  agent: NodeAgent;
  start(): Promise<void>;
  ready(): boolean;
  /** `stop` ends the workloads, each with its grace period; `leave` lets them run for the next node to adopt. */
  stop(options: { workloads: 'stop' | 'leave' }): Promise<void>;
}

const HEARTBEAT_MS = 40_000;
const LOG_PUMP_MS = 250;
const HOST_IP = '127.0.0.1';

export function createNode(options: NodeOptions): EmbeddedNode {
  const { client, caches, clock } = options;
  const name = options.name ?? 'embedded';
  const podsDirectory = join(options.dataDirectory, 'pods');
  const pods = caches.of<Pod>(POD);
  const secrets = caches.of(SECRET);
  const configMaps = caches.of(CONFIG_MAP);
  const services = caches.of<Service>(SERVICE);
  const claims = caches.of<PersistentVolumeClaim>(PERSISTENT_VOLUME_CLAIM);
  const volumes = caches.of<PersistentVolume>(PERSISTENT_VOLUME);
  const scheduler = createScheduler(options, name);
  const workers = new Map<string, PodWorker>();
  const detach: (() => void)[] = [];
  let stopping = false;
  let started = false;

  const context: NodeContext = {
    client,
    pods,
    clock,
    logger: options.logger.child({ component: 'node' }),
    events: options.events,
    images: options.images,
    workloadUser: process.getuid?.() === 0 ? options.workloadUser : undefined,
    pool: openAddressPool(join(options.dataDirectory, 'addresses.json')),
    addressMode: options.addressMode ?? (process.platform === 'linux' ? 'per-pod' : 'shared'),
    podsDirectory,
    hostsFile: options.hostsFile,
    hostIP: HOST_IP,
    restart: options.restart ?? RESTART_TIMINGS,
    pollMs: options.pollMs ?? 500,
    logLimits: options.logLimits ?? LOG_LIMITS,
    addresses: (podIP) => ({ nodeName: name, hostIP: HOST_IP, podIP }),
    source: (namespace) => ({
      configMap: (object) => configMaps.get(`${namespace}/${object}`),
      secret: (object) => secrets.get(`${namespace}/${object}`),
    }),
    servicesOf: (namespace) => services.byIndex(BY_NAMESPACE, namespace).filter((service) => !isHeadless(service)),
    claimDirectory,
    tolerateGone,
    onRemoved: (uid) => workers.delete(uid),
  };

  const sampler = createUsageSampler({
    clock,
    containers: () => [...workers.values()].flatMap((worker) => worker.running()),
  });

  function claimDirectory(namespace: string, claimName: string): string {
    const claim = claims.get(`${namespace}/${claimName}`);
    if (!claim) throw new ContainerConfigError(`persistentvolumeclaim "${claimName}" not found`, 'FailedMount');
    const volume = claim.spec.volumeName ? volumes.get(claim.spec.volumeName) : undefined;
    if (claim.status?.phase !== 'Bound' || !volume) {
      throw new ContainerConfigError(`persistentvolumeclaim "${claimName}" is not bound yet`, 'FailedMount');
    }
    const path = volume.spec.hostPath?.path;
    // Whoever may write a PersistentVolume must not thereby reach every file of this machine.
    if (path !== join(options.volumesDirectory, volume.metadata.name)) {
      throw new ContainerConfigError(
        `volume "${volume.metadata.name}" was not made by this node, which mounts its own only`,
        'FailedMount',
      );
    }
    return path;
  }

  function follow(pod: Pod): void {
    if (stopping || pod.spec.nodeName !== name) return;
    const uid = pod.metadata.uid ?? '';
    let worker = workers.get(uid);
    if (!worker) {
      worker = createPodWorker(context, pod);
      workers.set(uid, worker);
    }
    worker.trigger();
  }

  /** What a pod refers to has changed: it may have waited for it, or have it mounted. */
  function triggerNamespace(object: KubeObject): void {
    for (const pod of pods.byIndex(BY_NAMESPACE, object.metadata.namespace ?? ''))
      workers.get(pod.metadata.uid ?? '')?.trigger();
  }

  function every(milliseconds: number, action: () => void): void {
    let cancel = (): void => undefined;
    const again = (): void => {
      cancel = clock.after(milliseconds, () => {
        action();
        again();
      });
    };
    again();
    detach.push(() => cancel());
  }

  function pumpLogs(): void {
    for (const worker of workers.values()) {
      for (const container of worker.containers()) {
        try {
          container.pump();
        } catch (err) {
          context.logger.warn({ err, container: container.name }, 'log could not be written');
        }
      }
    }
  }

  /** A look that fails is one look less. */
  function guarded(problem: string, look: () => void): void {
    try {
      look();
    } catch (err) {
      context.logger.warn({ err }, problem);
    }
  }

  async function heartbeat(): Promise<void> {
    const node = await client.get(NODE, { name }).catch((error: unknown) => {
      if (!isKubeError(error, 'NotFound')) throw error;
      return client.create(NODE, nodeObject({ name }));
    });
    const facts = { name, address: HOST_IP, images: Object.keys(options.images), now: clock.now() };
    const body = { status: nodeStatus(facts, node) };
    if (isTold(body.status, node, facts.now)) return;
    await client.patch(NODE, { name }, { type: 'merge', body }, { subresource: 'status' });
  }

  return {
    agent: createNodeAgent({ pods, workerOf: (uid) => workers.get(uid), usage: sampler.latest }),
    async start() {
      mkdirSync(podsDirectory, { recursive: true, mode: 0o711 });
      mkdirSync(options.volumesDirectory, { recursive: true, mode: 0o711 });
      const way = [options.dataDirectory, podsDirectory, options.volumesDirectory];
      if (context.workloadUser) openForWalking(way, context.workloadUser);
      await heartbeat();
      const needed = [pods, secrets, configMaps, services, claims, volumes];
      for (const reflector of needed) reflector.start();
      await Promise.all(needed.map((reflector) => reflector.synced));
      const known = new Map(pods.list().map(({ metadata, status }) => [metadata.uid ?? '', status?.podIP]));
      context.pool.keepOnly(known);
      const present = existsSync(podsDirectory) ? readdirSync(podsDirectory) : [];
      await removeForgottenPods(
        podsDirectory,
        present.filter((uid) => !known.has(uid)),
        clock,
      );
      await endUnrecorded(podsDirectory, clock);
      detach.push(
        pods.onChange('node', (change) => {
          if (change.type === 'deleted') workers.get(change.object.metadata.uid ?? '')?.trigger();
          else follow(change.object);
        }),
        ...[secrets, configMaps, claims].map((reflector) =>
          (reflector as typeof secrets).onChange('node', ({ object }) => triggerNamespace(object)),
        ),
        volumes.onChange('node', ({ object }) => {
          const { namespace = '', name: claim = '' } = object.spec.claimRef ?? {};
          triggerNamespace({ ...object, metadata: { name: claim, namespace } });
        }),
      );
      every(LOG_PUMP_MS, pumpLogs);
      if (hasProcessTable) {
        const { sampleMs, limitMs } = options.measuring ?? MEASURING_TIMINGS;
        guarded('usage could not be measured', sampler.sample);
        every(sampleMs, () => guarded('usage could not be measured', sampler.sample));
        every(limitMs, () => guarded('memory limits could not be looked at', sampler.watchLimits));
      }
      every(HEARTBEAT_MS, () => {
        heartbeat().catch((err: unknown) => context.logger.warn({ err }, 'heartbeat failed'));
      });
      await scheduler.start();
      started = true;
    },
    ready: () => started && pods.healthy() && scheduler.ready(),
    async stop({ workloads }) {
      stopping = true;
      for (const end of detach.splice(0)) end();
      await scheduler.stop();
      if (workloads === 'leave') for (const worker of workers.values()) worker.leave();
      else await Promise.all([...workers.values()].map((worker) => worker.shutDown()));
    },
  };
}

async function tolerateGone(action: () => Promise<unknown>): Promise<void> {
  try {
    await action();
  } catch (error) {
    if (!isKubeError(error, 'NotFound') && !isKubeError(error, 'Conflict')) throw error;
  }
}
