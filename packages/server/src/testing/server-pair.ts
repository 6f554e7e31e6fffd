import { randomBytes } from 'node:crypto';
import type { AddressInfo, Socket } from 'node:net';
import { idsFrom } from '@berth/core/ids';
import type { KubeClient } from '@berth/kube/client/client';
import { systemClock as systemTimer } from '@berth/kube/client/clock';
import { Registry } from 'prom-client';
import { systemClock } from '../clock.ts';
import type { Database } from '../db/database.ts';
import { openDatabase } from '../db/pool.ts';
import { startDeploymentWorkers } from '../deployment/workers.ts';
import { deploymentRoutes } from '../live/routes.ts';
import { createLogger } from '../logger.ts';
import { stopServer } from '../modes/stop-server.ts';
import { createEmbeddedSecretStore } from '../secret/embedded-secret-store.ts';
import { generateSecret } from '../secret/generate-secret.ts';
import { buildInternalApp } from '../secret/internal-app.ts';
import type { MasterKeys } from '../secret/master-keys.ts';
import type { InternalCertificate } from '../up/certificates.ts';
import { createTestApp } from './app.ts';
import { freePort } from './round-robin.ts';

/** One of several servers on one database, with all that a server has: a pool of its own, both listeners, the background work. */
export interface TestServer {
  port: number;
  internalPort: number;
  /** As when it is told to: streams, background work, shells, listeners. */
  stop(options?: { shellGraceSeconds: number }): Promise<void>;
  /** As `kill -9`: nothing more is said to anybody, and nothing more is written. */
  kill(): Promise<void>;
}

export interface TestServerOptions {
  databaseUrl: string;
  client: KubeClient;
  keys: MasterKeys;
  certificate: InternalCertificate;
  /** Whether it applies and observes. */
  works?: boolean;
}

const DELIVERY = { url: 'https://127.0.0.1:9', authority: 'PEM' };

export async function startTestServer(options: TestServerOptions): Promise<TestServer> {
  const { databaseUrl, client, keys, certificate } = options;
  const logger = createLogger({ name: 'test', level: 'silent' });
  const pool = openDatabase({ url: databaseUrl, applicationName: 'server of several', connections: 6 });
  const { database, cut } = mortal(pool);
  const shared = {
    database,
    keys,
    generateSecret,
    clock: systemClock,
    newId: idsFrom(randomBytes),
    secrets: createEmbeddedSecretStore({ keys, clock: systemClock }),
    hosts: { domain: 'apps.test', reserved: [] },
    urlOf: (host: string) => `https://${host}`,
  };
  const https = { cert: certificate.certificate, key: certificate.key };
  const listening = { clock: systemClock, metrics: new Registry(), logger, healthy: () => true, https };
  const internal = buildInternalApp({ ...shared, ...listening });
  const sockets = new Set<Socket>();
  const note = (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  };
  // The address has to be known before what is mounted there.
  const internalPort = await freePort();
  const peers = {
    url: `https://127.0.0.1:${internalPort}`,
    authority: certificate.authority,
    serverName: 'localhost',
  };
  const deployments = deploymentRoutes({ ...shared, client, logger, timer: systemTimer, peers });
  deployments.mountPeers(internal);
  const { app } = await createTestApp({ database, deployments, log: logger });
  await internal.listen({ port: internalPort, host: '127.0.0.1' });
  await app.listen({ port: 0, host: '127.0.0.1' });
  for (const each of [app, internal]) each.server.on('connection', note);
  const work =
    options.works === true
      ? startDeploymentWorkers({ ...shared, client, logger, delivery: DELIVERY, metrics: new Registry() })
      : { stop: async () => undefined };
  let over: Promise<void> | undefined;

  return {
    port: (app.server.address() as AddressInfo).port,
    internalPort,
    stop({ shellGraceSeconds } = { shellGraceSeconds: 0 }) {
      over ??= stopServer({ app, deployments, internal, work, shellGraceSeconds, closeDatabase: () => pool.close() });
      return over;
    },
    async kill() {
      for (const each of [app, internal]) each.server.close();
      for (const socket of sockets) socket.destroy();
      cut();
      over ??= Promise.allSettled([work.stop(), app.close(), internal.close(), deployments.stop()]).then(() =>
        pool.close(),
      );
      await over;
    },
  };
}

/** A database that nothing reaches any more once it was cut; what is under way is rolled back. */
function mortal(pool: Database): { database: Database; cut(): void } {
  let dead = false;
  const dying = () => {
    if (dead) throw new Error('this server was killed');
  };
  return {
    cut() {
      dead = true;
    },
    database: {
      ...pool,
      async query(...parameters) {
        dying();
        return pool.query(...parameters);
      },
      async execute(...parameters) {
        dying();
        return pool.execute(...parameters);
      },
      async transaction(work, how) {
        dying();
        return pool.transaction(async (transaction) => {
          const result = await work(transaction);
          dying();
          return result;
        }, how);
      },
    },
  };
}
