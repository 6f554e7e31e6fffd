import { randomBytes } from 'node:crypto';
import { idsFrom } from '@berth/core/ids';
import { systemClock as systemTimer } from '@berth/kube/client/clock';
import { createKubeClient } from '@berth/kube/client/http-client';
import type { FastifyInstance } from 'fastify';
import { buildApp } from '../app.ts';
import { hasAnyAdministrator } from '../auth/accounts.ts';
import { systemRandom } from '../auth/credentials.ts';
import { systemClock } from '../clock.ts';
import type { Settings } from '../configuration/environment.ts';
import type { SERVER_VARIABLES } from '../configuration/process-settings.ts';
import { migrate } from '../db/migrate.ts';
import { openDatabase } from '../db/pool.ts';
import { createMetrics } from '../http/metrics.ts';
import { deploymentRoutes } from '../live/routes.ts';
import { createLogger } from '../logger.ts';
import { routerMetricsAt } from '../metrics/router-metrics.ts';
import { createSampler } from '../metrics/sampler.ts';
import { HopelessError, type Service } from '../processes/service.ts';
import { platformHosts } from '../router/platform-hosts.ts';
import { createEmbeddedSecretStore } from '../secret/embedded-secret-store.ts';
import { generateSecret } from '../secret/generate-secret.ts';
import { buildInternalApp } from '../secret/internal-app.ts';
import { masterKeys } from '../secret/master-keys.ts';
import { loadCatalogue } from '../template/load-catalogue.ts';
import { appAddress, appPlace } from './app-address.ts';
import { type ClusterWork, startClusterWork } from './cluster-work.ts';
import { loadCluster } from './load-cluster.ts';

export interface ServerAssets {
  version: string;
  webDirectory: string;
  templatesDirectory: string;
  migrationsDirectory: string;
}

/**
 * The server: brings the database up to date, then answers. What needs the cluster works in the background and waits for it, so
 * that a cluster that is away for a while takes nobody's pages away.
 */
export async function runServer(settings: Settings<typeof SERVER_VARIABLES>, assets: ServerAssets): Promise<Service> {
  const log = createLogger({ name: 'server', level: settings.logLevel });
  const database = openDatabase({
    url: settings.databaseUrl,
    authority: settings.databaseAuthority,
    applicationName: 'berth server',
    connections: settings.databaseConnections,
    onConnectionLost: (err) => log.warn({ err }, 'connection to the database lost'),
  });
  await migrate(database, assets.migrationsDirectory);
  if (!settings.developmentSignIn && !(await hasAnyAdministrator(database))) {
    await database.close();
    throw new HopelessError(
      'others can reach this Berth, and there is no administrator who could sign in: make one with "berth admin create EMAIL"',
    );
  }
  await loadCatalogue(
    { database, clock: systemClock, log, development: settings.developmentSignIn },
    assets.templatesDirectory,
  );

  const client = createKubeClient(await loadCluster(settings));
  const keys = masterKeys({ id: 'master', key: settings.masterKey });
  const secrets = createEmbeddedSecretStore({ keys, clock: systemClock });
  const place = appPlace(settings);
  const urlOf = appAddress(place);
  const metrics = createMetrics();
  const reserved = platformHosts(settings);
  const shared = {
    database,
    secrets,
    keys,
    urlOf,
    generateSecret,
    clock: systemClock,
    newId: idsFrom(randomBytes),
    hosts: { domain: settings.domain, reserved },
  };
  const readRouterMetrics =
    settings.routerMetricsUrl === undefined ? undefined : routerMetricsAt(settings.routerMetricsUrl);
  const measuring = { client, readRouterMetrics, confinedTo: settings.namespaces };
  const deployments = deploymentRoutes({ ...shared, ...measuring, logger: log });
  let work: ClusterWork | undefined;
  const health = {
    ...shared,
    client,
    migrationsDirectory: assets.migrationsDirectory,
    dataDirectory: settings.dataDirectory,
    confinedTo: settings.namespaces,
    leaseNamespace: settings.leaseNamespace,
    observation: () => work?.observation(),
  };
  const app = await buildApp({
    ...shared,
    health,
    metrics,
    log,
    randomBytes: systemRandom,
    deployments,
    settings: {
      version: assets.version,
      publicUrl: settings.publicUrl,
      allowedHosts: reserved.map((host) => `${host}:${place.port}`),
      domain: settings.domain,
      appUrl: urlOf(`{name}.${settings.domain}`),
      devSignIn: settings.developmentSignIn,
      defaultPlan: settings.plan,
      webDirectory: assets.webDirectory,
      migrationsDirectory: assets.migrationsDirectory,
      checkOutput: false,
    },
  });
  const started = startClusterWork({
    ...shared,
    client,
    logger: log,
    metrics: metrics.registry,
    whileLeading: createSampler({ ...measuring, database, logger: log, timer: systemTimer }).run,
    installDefinitions: settings.installDefinitions,
    confinedTo: settings.namespaces,
    delivery: {
      url: settings.internalUrl ?? `https://127.0.0.1:${settings.internalPort}`,
      authority: settings.internalAuthority,
    },
  });
  work = started;
  const internal = buildInternalApp({
    database,
    secrets,
    clock: systemClock,
    metrics: metrics.registry,
    logger: log,
    https: { cert: settings.internalCertificate, key: settings.internalKey },
    healthy: () => started.healthy(),
  });
  await internal.listen({ host: settings.internalBind, port: settings.internalPort });
  await app.listen({ host: settings.bind, port: settings.port });
  log.info({ address: settings.bind, port: settings.port }, 'server listens');
  return { stop: () => stop({ app, deployments, internal, work: started, close: () => database.close() }) };
}

/** The mirror image of the start: no new request, those in flight end, then whoever works for them, then the database. */
async function stop(parts: {
  app: FastifyInstance;
  deployments: { stop(): Promise<void> };
  internal: FastifyInstance;
  work: ClusterWork;
  close: () => Promise<void>;
}): Promise<void> {
  await parts.app.close();
  await parts.deployments.stop();
  await parts.work.stop();
  await parts.internal.close();
  await parts.close();
}
