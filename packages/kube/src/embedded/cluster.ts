import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KubeConfig } from '../client/client.ts';
import { type Clock, systemClock } from '../client/clock.ts';
import { createEventRecorder } from '../client/event-recorder.ts';
import { createKubeClient } from '../client/http-client.ts';
import type { Logger } from '../client/logger.ts';
import { startApiServer } from './api/server.ts';
import { createCaches } from './caches.ts';
import { bootstrap } from './controllers/bootstrap.ts';
import { createControllers } from './controllers/controllers.ts';
import type { RetryTimings } from './controllers/job/job-state.ts';
import type { ImageCatalogue } from './node/image-catalogue.ts';
import type { LogLimits } from './node/logs/container-log.ts';
import type { MeasuringTimings } from './node/metrics/usage-sampler.ts';
import { createNode, type EmbeddedNode } from './node/node.ts';
import type { WorkloadUser } from './node/process/container-process.ts';
import { hasProcessTable } from './node/process/process-table.ts';
import type { RestartTimings } from './node/process/restart-backoff.ts';
import { serviceNetwork } from './services/service-network.ts';
import { createServiceProxy } from './services/service-proxy.ts';
import type { Store } from './store/store.ts';

export interface ClusterOptions {
  /** Everything the cluster keeps beside its store: certificates, kubeconfig, pods, volumes. */
  dataDirectory: string;
  /** 0: any free one. */
  apiPort: number;
  /** Opened and closed by the cluster. */
  store: Store;
  /** 32 bytes: Secrets are encrypted at rest with it. */
  encryptionKey?: Buffer;
  images: ImageCatalogue;
  /** Who runs pods when this process is root. */
  workloadUser?: WorkloadUser;
  ingressClassName: string;
  /** `spec.controller` of that class. */
  ingressController: string;
  logger: Logger;
  clock?: Clock;
  newId: () => string;
  addressMode?: 'per-pod' | 'shared';
  timings?: {
    restart?: RestartTimings;
    jobRetry?: RetryTimings;
    logLimits?: LogLimits;
    pollMs?: number;
    measuring?: MeasuringTimings;
  };
}

export interface UserIdentity {
  name: string;
  groups: string[];
}

export interface Cluster {
  url: string;
  /** Full access, readable by this user only. */
  kubeconfigPath: string;
  /** A connection with a certificate for this user. */
  clientFor(user: UserIdentity): Promise<KubeConfig>;
  /** Controllers, node and proxy follow the API and work. Rejects when one of them could not start. */
  ready: Promise<void>;
  /** `stop` ends the pods' processes too; `leave` lets them run for the next start to adopt. */
  stop(options: { workloads: 'stop' | 'leave' }): Promise<void>;
}

const ADMIN: UserIdentity = { name: 'admin', groups: ['system:masters'] };

/**
 * A whole Kubernetes in one process: API server, controllers, one node and the service proxy. They meet in the API alone, over
 * HTTPS, as in any other cluster.
 */
export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const { dataDirectory, logger, newId, clock = systemClock } = options;
  mkdirSync(dataDirectory, { recursive: true, mode: 0o711 });
  let node: EmbeddedNode | undefined;
  const api = await startApiServer({
    port: options.apiPort,
    store: options.store,
    pkiDirectory: join(dataDirectory, 'pki'),
    ...(options.encryptionKey ? { encryptionKey: options.encryptionKey } : {}),
    serviceNetwork: serviceNetwork(dataDirectory),
    nodeAgent: () => node?.agent,
    measures: hasProcessTable,
    clock,
    newId,
    logger: logger.child({ component: 'api' }),
  });
  const clientFor = async (user: UserIdentity): Promise<KubeConfig> => {
    const { certificate, key } = await api.credentials(user);
    return { server: api.url, ca: api.caCertificate, clientCertificate: certificate, clientKey: key };
  };
  const kubeconfigPath = join(dataDirectory, 'kubeconfig');
  writeFileSync(kubeconfigPath, await api.kubeconfig(ADMIN), { mode: 0o600 });

  const connect = async (name: string) =>
    createKubeClient(await clientFor({ name, groups: ['system:masters'] }), clock);
  const managerClient = await connect('system:kube-controller-manager');
  const nodeClient = await connect('system:node:embedded');
  const caches = createCaches({ client: managerClient, logger, clock });
  const shared = { caches, logger, clock, newId };
  const managerEvents = createEventRecorder({
    client: managerClient,
    component: 'controller-manager',
    logger,
    clock,
    newId,
  });
  const nodeEvents = createEventRecorder({ client: nodeClient, component: 'kubelet', logger, clock, newId });
  const volumesDirectory = join(dataDirectory, 'volumes');
  const hostsFile = join(dataDirectory, 'hosts.json');
  const { addressMode = process.platform === 'linux' ? 'per-pod' : 'shared' } = options;

  const controllers = createControllers({
    ...shared,
    client: managerClient,
    events: managerEvents,
    volumesDirectory,
    ...(options.timings?.jobRetry && { jobRetry: options.timings.jobRetry }),
  });
  const proxy = createServiceProxy({ ...shared, events: nodeEvents, hostsFile, addressMode });
  const running = createNode({
    ...shared,
    ...options.timings,
    client: nodeClient,
    events: nodeEvents,
    dataDirectory,
    volumesDirectory,
    hostsFile,
    addressMode,
    images: options.images,
    ...(options.workloadUser ? { workloadUser: options.workloadUser } : {}),
  });
  node = running;

  const ready = (async () => {
    await bootstrap(managerClient, options);
    // The proxy first: a pod that starts finds the names and addresses of its Services.
    await proxy.start();
    await Promise.all([controllers.start(), running.start()]);
    logger.info({ url: api.url }, 'cluster is ready');
  })();
  // Whoever stops early need not wait for it.
  ready.catch(() => undefined);

  return {
    url: api.url,
    kubeconfigPath,
    clientFor,
    ready,
    async stop({ workloads }) {
      // Controllers first: nothing may be made again while it is being ended.
      await controllers.stop();
      await running.stop({ workloads });
      await proxy.stop();
      await Promise.all([managerEvents.flush(), nodeEvents.flush()]);
      await caches.stop();
      await Promise.all([managerClient.close(), nodeClient.close()]);
      await api.close();
    },
  };
}
