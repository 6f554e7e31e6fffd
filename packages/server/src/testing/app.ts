import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CSRF_HEADER } from '@berth/core/api';
import { idsFrom } from '@berth/core/ids';
import { FORWARD_PROTOCOL, SHELL_PROTOCOL } from '@berth/core/shell';
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify';
import { WebSocket } from 'ws';
import { buildApp, type ServerSettings } from '../app.ts';
import { systemRandom } from '../auth/credentials.ts';
import { type Clock, systemClock } from '../clock.ts';
import type { Database } from '../db/database.ts';
import type { HealthDeps } from '../health/routes.ts';
import type { DeploymentRouteName, DeploymentRoutes, Handlers } from '../http/handler.ts';
import type { Lifecycle } from '../http/lifecycle.ts';
import { createMetrics, type Metrics } from '../http/metrics.ts';
import { serverProbes } from '../http/server-probes.ts';
import { LOOPBACK_NETWORKS } from '../http/trusted-proxies.ts';
import { createLogger, type Logger } from '../logger.ts';
import { createEmbeddedSecretStore } from '../secret/embedded-secret-store.ts';
import { masterKeys } from '../secret/master-keys.ts';
import type { TestTenant } from './tenants.ts';

/** The whole server in process: requests are injected, nothing listens. */
export const TEST_HOST = 'berth.test:7000';

export interface TestApp {
  app: FastifyInstance;
  /** As somebody's browser sends it: with their cookie, our host, and what the pages add to changes. */
  as(who: TestTenant | undefined, request: InjectOptions): Promise<LightMyRequestResponse>;
  /** As somebody's program sends it. */
  withToken(token: string, request: InjectOptions): Promise<LightMyRequestResponse>;
  /** As `as`, for an answer that does not end, or for a WebSocket: comes back with its head. */
  open(who: TestTenant, request: InjectOptions): Promise<OpenAnswer>;
  openSocket(who: TestTenant, url: string): Promise<OpenAnswer>;
  close(): Promise<void>;
}

export interface OpenAnswer {
  statusCode: number;
  headers: LightMyRequestResponse['headers'];
  leave(): void;
}

export interface TestAppOptions {
  database: Database;
  deployments?: DeploymentRoutes & { stop?(): Promise<void> };
  health?: Partial<HealthDeps>;
  settings?: Partial<ServerSettings>;
  clock?: Clock;
  log?: Logger;
  metrics?: Metrics;
  startup?: Lifecycle['startup'];
  draining?: Lifecycle['draining'];
}

export async function createTestApp(options: TestAppOptions): Promise<TestApp> {
  const log = options.log ?? createLogger({ name: 'test', level: 'silent' });
  const startup = options.startup ?? { problem: () => undefined };
  const draining = options.draining ?? { active: () => false };
  const app = await buildApp({
    database: options.database,
    deployments: options.deployments ?? noDeployments,
    health: { ...noCluster(options), ...options.health },
    settings: {
      version: '0.0.0-test',
      publicUrl: `http://${TEST_HOST}`,
      allowedHosts: ['localhost:7000', '127.0.0.1:7000', '[::1]:7000'],
      domain: 'berth.test',
      appUrl: 'http://{name}.berth.test:7000',
      devSignIn: false,
      defaultPlan: 'business',
      webDirectory: join(tmpdir(), 'berth-no-pages'),
      trustedProxies: LOOPBACK_NETWORKS,
      logRequests: 'notable',
      checkOutput: true,
      ...options.settings,
    },
    probes: serverProbes({ ...options, log, startup, draining, live: [], observation: () => undefined }),
    lifecycle: { startup, draining },
    metrics: options.metrics ?? createMetrics(),
    log,
    clock: options.clock ?? systemClock,
    newId: idsFrom(randomBytes),
    randomBytes: systemRandom,
  });
  await app.ready();
  const send = (request: InjectOptions, headers: Record<string, string>) =>
    app.inject({ ...request, headers: { host: TEST_HOST, [CSRF_HEADER]: '1', ...headers, ...request.headers } });
  return {
    app,
    as: (who, request) => send(request, cookieOf(who)),
    withToken: (token, request) => send(request, { [CSRF_HEADER]: '', authorization: `Bearer ${token}` }),
    async open(who, request) {
      const answer = await send({ ...request, payloadAsStream: true }, cookieOf(who));
      return { statusCode: answer.statusCode, headers: answer.headers, leave: () => answer.raw.res.destroy() };
    },
    async openSocket(who, url) {
      if (!app.server.listening) await app.listen({ port: 0 });
      const { port } = app.server.address() as AddressInfo;
      return openTestSocket(`ws://127.0.0.1:${port}${url}`, cookieOf(who));
    },
    async close() {
      await app.close();
      await options.deployments?.stop?.();
    },
  };
}

/** There is a database, and no cluster answers. */
export function noCluster({ database, clock = systemClock }: Pick<TestAppOptions, 'database' | 'clock'>): HealthDeps {
  const away = () => Promise.reject(new Error('this test has no cluster'));
  const keys = masterKeys({ id: 'test', key: randomBytes(32) });
  return {
    database,
    clock,
    secrets: createEmbeddedSecretStore({ keys, clock }),
    client: { server: 'https://cluster.test', get: away, list: away, raw: away },
    observation: () => undefined,
  };
}

function cookieOf(who: TestTenant | undefined): Record<string, string> {
  return who ? { cookie: `berth_login=${who.cookie}` } : {};
}

/** As a page of ours opens one. Offers every subprotocol there is. */
function openTestSocket(url: string, headers: Record<string, string>): Promise<OpenAnswer> {
  const socket = new WebSocket(url, [SHELL_PROTOCOL, FORWARD_PROTOCOL], {
    headers: { host: TEST_HOST, origin: `http://${TEST_HOST}`, ...headers },
  });
  return new Promise((resolve, reject) => {
    const settle = ({ statusCode = 0, headers }: IncomingMessage) =>
      resolve({ statusCode, headers, leave: () => socket.terminate() });
    socket.once('upgrade', settle);
    socket.once('unexpected-response', (_request, response) => {
      settle(response);
      response.destroy();
    });
    socket.once('error', reject);
  });
}

const DEPLOYMENT_ROUTES: DeploymentRouteName[] = [
  'listDeployments',
  'createDeployment',
  'previewDeployment',
  'previewUpdate',
  'getDeployment',
  'updateDeployment',
  'stopDeployment',
  'startDeployment',
  'restartDeployment',
  'pauseDeployment',
  'resumeDeployment',
  'scaleService',
  'rollBackDeployment',
  'cloneDeployment',
  'getRemoval',
  'deleteDeployment',
  'listRevisions',
  'getRevision',
  'listDeploymentActivity',
  'streamLogs',
  'downloadLogs',
  'openShell',
  'forwardPort',
  'listActivity',
  'streamEvents',
  'streamLive',
  'getMetrics',
  'streamMetrics',
  'listCurrentUse',
  'getUsage',
];

/** For tests of everything else: there are no deployments, and nobody may ask for one. */
const noDeployments: DeploymentRoutes = {
  handlers: Object.fromEntries(
    DEPLOYMENT_ROUTES.map((name) => [name, () => Promise.reject(new Error(`this test has no deployments: ${name}`))]),
  ) as unknown as Handlers<DeploymentRouteName>,
  teamOfDeployment: async () => undefined,
};
