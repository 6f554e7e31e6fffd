import { randomBytes } from 'node:crypto';
import { idsFrom } from '@berth/core/ids';
import { systemClock as systemTimer } from '@berth/kube/client/clock';
import { createKubeClient } from '@berth/kube/client/http-client';
import { buildApp } from '../app.ts';
import { systemRandom } from '../auth/credentials.ts';
import { systemClock } from '../clock.ts';
import type { Settings } from '../configuration/environment.ts';
import type { SERVER_VARIABLES } from '../configuration/process-settings.ts';
import { isLoopback } from '../configuration/up-options.ts';
import { openDatabase } from '../db/pool.ts';
import { createMetrics } from '../http/metrics.ts';
import { serverProbes } from '../http/server-probes.ts';
import { LOOPBACK_NETWORKS } from '../http/trusted-proxies.ts';
import { observeRequests } from '../kubernetes/observe-requests.ts';
import { observedClient } from '../kubernetes/observed-client.ts';
import { deploymentRoutes } from '../live/routes.ts';
import { createLogger } from '../logger.ts';
import { countConnections } from '../metrics/pool-metrics.ts';
import { routerMetricsAt } from '../metrics/router-metrics.ts';
import { createSampler } from '../metrics/sampler.ts';
import { createDraining } from '../processes/draining.ts';
import { watchEventLoop } from '../processes/event-loop.ts';
import { listenForMetrics } from '../processes/metrics-listener.ts';
import type { Service } from '../processes/service.ts';
import { createStartup } from '../processes/startup.ts';
import { platformHosts } from '../router/platform-hosts.ts';
import { createEmbeddedSecretStore } from '../secret/embedded-secret-store.ts';
import { generateSecret } from '../secret/generate-secret.ts';
import { buildInternalApp } from '../secret/internal-app.ts';
import { masterKeys } from '../secret/master-keys.ts';
import { loadCatalogue } from '../template/load-catalogue.ts';
import { traceIfWanted } from '../tracing/trace-if-wanted.ts';
import { appAddress, appPlace } from './app-address.ts';
import { type ClusterWork, startClusterWork } from './cluster-work.ts';
import { requireAdministrator } from './first-administrator.ts';
import { loadCluster } from './load-cluster.ts';
import { prepareDatabase } from './prepare-database.ts';
import { requireRightKey } from './right-key.ts';
import { stopServer } from './stop-server.ts';

export interface ServerAssets {
  version: string;
  /** Which of several servers. */
  instance: string;
  webDirectory: string;
  templatesDirectory: string;
  migrationsDirectory: string;
}

type ServerSettings = Settings<typeof SERVER_VARIABLES>;

/**
 * The server. It listens first, so that whoever asks learns what it is waiting for, and answers once its database is up to date. What
 * needs the cluster works in the background and waits for it, so that a cluster that is away for a while takes nobody's pages away.
 */
export async function runServer(
  settings: ServerSettings,
  assets: ServerAssets,
  stopping: AbortSignal,
): Promise<Service> {
  const { migrationsDirectory, version } = assets;
  const log = createLogger({ name: 'server', level: settings.logLevel });
  const tracing = await traceIfWanted(settings, { service: 'berth-server', version, instance: assets.instance, log });
  const database = openDatabase({
    url: settings.databaseUrl,
    authority: settings.databaseAuthority,
    applicationName: 'berth server',
    connections: settings.databaseConnections,
    onConnectionLost: (err) => log.warn({ err }, 'connection to the database lost'),
  });
  const startup = createStartup();
  const draining = createDraining({ seconds: settings.drainSeconds, timer: systemTimer });
  const eventLoop = watchEventLoop();
  const metrics = createMetrics();
  countConnections(metrics.registry, database);

  const client = observedClient(createKubeClient(await loadCluster(settings)), observeRequests(metrics.registry));
  const keys = masterKeys({ id: 'master', key: settings.masterKey });
  const secrets = createEmbeddedSecretStore({ keys, clock: systemClock });
  const place = appPlace(settings);
  const urlOf = appAddress(place);
  const reserved = platformHosts(settings);
  const newId = idsFrom(randomBytes);
  const shared = {
    ...{ database, secrets, keys, urlOf, generateSecret, newId },
    clock: systemClock,
    hosts: { domain: settings.domain, reserved },
  };
  const readRouterMetrics =
    settings.routerMetricsUrl === undefined ? undefined : routerMetricsAt(settings.routerMetricsUrl);
  const measuring = { client, readRouterMetrics, confinedTo: settings.namespaces };
  const deployments = deploymentRoutes({ ...shared, ...measuring, logger: log, peers: peersOf(settings) });
  let work: ClusterWork | undefined;
  const observation = () => work?.observation();
  const app = await buildApp({
    ...shared,
    ...{ metrics, log, deployments },
    health: {
      ...shared,
      ...{ client, migrationsDirectory, observation },
      dataDirectory: settings.dataDirectory,
      confinedTo: settings.namespaces,
      leaseNamespace: settings.leaseNamespace,
    },
    probes: serverProbes({
      ...{ database, migrationsDirectory, log, startup, draining, observation },
      live: eventLoop.probes,
    }),
    lifecycle: { startup, draining },
    randomBytes: systemRandom,
    settings: {
      version,
      publicUrl: settings.publicUrl,
      allowedHosts: reserved.map((host) => `${host}:${place.port}`),
      domain: settings.domain,
      appUrl: urlOf(`{name}.${settings.domain}`),
      devSignIn: settings.developmentSignIn,
      defaultPlan: settings.plan,
      webDirectory: settings.web ? assets.webDirectory : undefined,
      trustedProxies: trustedProxiesOf(settings),
      logRequests: settings.logRequests,
      checkOutput: false,
    },
  });
  await app.listen({ host: settings.bind, port: settings.port });
  const metricsListener = await listenForMetrics(metrics.registry, settings);
  const closeRest = async () => {
    await metricsListener?.stop();
    eventLoop.stop();
    await database.close();
    await tracing?.stop();
  };
  log.info({ address: settings.bind, port: settings.port }, 'server listens');
  try {
    await prepareDatabase({
      ...{ database, migrationsDirectory, startup, log, stopping },
      url: settings.databaseUrl,
      migrate: settings.migrate,
      timer: systemTimer,
      async afterwards() {
        await requireRightKey(database, secrets);
        if (!settings.developmentSignIn) {
          const { adminEmail: email, adminPassword: password } = settings;
          await requireAdministrator({ database, maker: shared, email, password, log });
        }
        const development = settings.developmentSignIn;
        await loadCatalogue({ database, clock: systemClock, log, development }, assets.templatesDirectory);
      },
    });
  } catch (error) {
    await app.close();
    await deployments.stop();
    await closeRest();
    throw error;
  }

  const started = startClusterWork({
    ...shared,
    client,
    logger: log,
    metrics: metrics.registry,
    whileLeading: createSampler({ ...measuring, database, logger: log, timer: systemTimer }).run,
    installDefinitions: settings.installDefinitions,
    confinedTo: settings.namespaces,
    delivery: { url: internalUrlOf(settings), authority: settings.internalAuthority },
  });
  work = started;
  const internal = buildInternalApp({
    ...{ database, secrets, logger: log },
    clock: systemClock,
    metrics: metrics.registry,
    https: { cert: settings.internalCertificate, key: settings.internalKey },
    healthy: () => started.healthy(),
  });
  deployments.mountPeers(internal);
  await internal.listen({ host: settings.internalBind, port: settings.internalPort });
  startup.done();
  log.info('server is ready');
  const { shellGraceSeconds } = settings;
  const parts = { app, deployments, internal, work: started, draining, shellGraceSeconds };
  return { stop: () => stopServer({ ...parts, closeDatabase: closeRest }) };
}

function internalUrlOf({ internalUrl, internalPort }: ServerSettings): string {
  return internalUrl ?? `https://127.0.0.1:${internalPort}`;
}

/** Pods have no name of their own: their certificates are for that of the internal endpoint. */
function peersOf(settings: ServerSettings) {
  if (settings.peerUrl === undefined) return undefined;
  const serverName = new URL(internalUrlOf(settings)).hostname;
  return { url: settings.peerUrl, authority: settings.internalAuthority, serverName };
}

/** What stands in front of a listener on loopback is a program of this machine. */
function trustedProxiesOf({ trustedProxies, behindRouter, bind }: ServerSettings): readonly string[] {
  return behindRouter || isLoopback(bind) ? [...LOOPBACK_NETWORKS, ...trustedProxies] : trustedProxies;
}
