import { VERSION_HEADER } from '@berth/core/api';
import type { NewId } from '@berth/core/ids';
import type { PlanName } from '@berth/core/plans';
import fastify, { type FastifyInstance } from 'fastify';
import { auditHandlers } from './audit/routes.ts';
import type { RandomBytes } from './auth/credentials.ts';
import { loginCookie } from './auth/login-cookie.ts';
import { loginHandlers } from './auth/login-routes.ts';
import { tokenHandlers } from './auth/token-routes.ts';
import type { Clock } from './clock.ts';
import type { Database } from './db/database.ts';
import { type HealthDeps, healthHandlers } from './health/routes.ts';
import { type LoggedRequests, logRequests } from './http/access-log.ts';
import { ownAddresses, requireOwnHost, requireOwnOrigin } from './http/allowed-origins.ts';
import { answerErrors, answerUnknown, answerUnreadable } from './http/answer-errors.ts';
import { mountDocumentation } from './http/documentation.ts';
import { BODY_LIMIT_BYTES } from './http/errors.ts';
import type { DeploymentRoutes } from './http/handler.ts';
import { isHealthPath, mountHealth } from './http/health.ts';
import { parseJsonBody } from './http/json-body.ts';
import { followLifecycle, type Lifecycle } from './http/lifecycle.ts';
import { countRequests, type Metrics } from './http/metrics.ts';
import { mountRoutes } from './http/mount-routes.ts';
import { configHandlers } from './http/public-config.ts';
import { requestIds } from './http/request-id.ts';
import { header, newRequestState } from './http/request-state.ts';
import { addSecurityHeaders } from './http/security-headers.ts';
import { addSinglePageApp, servePage } from './http/single-page-app.ts';
import { createSockets } from './http/sockets.ts';
import { plainAddress, trustOf } from './http/trusted-proxies.ts';
import type { Logger } from './logger.ts';
import type { Probes } from './processes/probes.ts';
import { templateHandlers } from './template/routes.ts';
import { tenantHandlers } from './tenant/routes.ts';
import { traceRequests } from './tracing/trace-requests.ts';

export interface ServerSettings {
  version: string;
  /** Where browsers find the platform: `http://localhost:7000`. With `https:` cookies are Secure. */
  publicUrl: string;
  /** Further `host:port` that requests may name, such as `127.0.0.1:7000`. */
  allowedHosts: readonly string[];
  /** The domain of apps, and an app's address with `{name}` in it. */
  domain: string;
  appUrl: string;
  /** Whoever comes is dev@localhost. Only behind a loopback bind. */
  devSignIn: boolean;
  defaultPlan: PlanName;
  /** The built pages, `dist/web`. Undefined where another process serves them. */
  webDirectory: string | undefined;
  /** Addresses and networks of the proxies whose word on the client is believed. */
  trustedProxies: readonly string[];
  logRequests: LoggedRequests;
  /** Answers that differ from the contract fail: for tests. */
  checkOutput: boolean;
}

export interface ServerDependencies {
  settings: ServerSettings;
  database: Database;
  deployments: DeploymentRoutes;
  health: HealthDeps;
  probes: Probes;
  lifecycle: Lifecycle;
  metrics: Metrics;
  log: Logger;
  clock: Clock;
  newId: NewId;
  randomBytes: RandomBytes;
}

/** The time for a request to arrive; answers may take longer. */
const REQUEST_TIMEOUT_MS = 30_000;

/** The whole HTTP server, which does not listen. Every dependency is given in. */
export async function buildApp(dependencies: ServerDependencies): Promise<FastifyInstance> {
  const { settings, database, deployments, clock, newId, log } = dependencies;
  const trust = trustOf(settings.trustedProxies);
  const app = fastify({
    logger: false,
    genReqId: requestIds(newId, trust),
    trustProxy: (address) => trust(address),
    bodyLimit: BODY_LIMIT_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    exposeHeadRoutes: false,
    frameworkErrors: answerUnreadable,
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (_request: unknown, body: Buffer) =>
    parseJsonBody(body),
  );

  const secure = new URL(settings.publicUrl).protocol === 'https:';
  await addSecurityHeaders(app, { secure });
  addRequestState(app, { log, version: settings.version });
  traceRequests(app, trust);
  logRequests(app, settings.logRequests);
  followLifecycle(app, dependencies.lifecycle);
  countRequests(app, dependencies.metrics);
  addProvenance(app, settings);
  answerErrors(app, { database, clock });

  const cookie = loginCookie({ secure });
  const tenants = { ...dependencies, defaultPlan: settings.defaultPlan };
  mountRoutes(app, {
    database,
    clock,
    cookie,
    sockets: createSockets(app, { gauge: dependencies.metrics.openSockets }),
    checkOutput: settings.checkOutput,
    teamOfDeployment: deployments.teamOfDeployment,
    handlers: {
      ...configHandlers(settings),
      ...loginHandlers({ ...tenants, cookie, devSignIn: settings.devSignIn }),
      ...tokenHandlers(dependencies),
      ...tenantHandlers(tenants),
      ...templateHandlers(dependencies),
      ...auditHandlers(dependencies),
      ...healthHandlers(dependencies.health),
      ...deployments.handlers,
    },
  });
  mountHealth(app, dependencies.probes);
  mountDocumentation(app, settings);
  const { webDirectory } = settings;
  if (webDirectory !== undefined) await addSinglePageApp(app, webDirectory);
  app.setNotFoundHandler((request, reply) =>
    webDirectory === undefined || isApi(request.url)
      ? answerUnknown(request, reply)
      : servePage(request, reply, webDirectory),
  );
  return app;
}

/** Id, logger, notes for the audit log, and a signal for whoever waits on the client's behalf. */
function addRequestState(app: FastifyInstance, { log, version }: { log: Logger; version: string }): void {
  const open = new Set<AbortController>();
  app.decorateRequest('state');
  app.addHook('onRequest', async (request, reply) => {
    // Told by a proxy that we believe, and written in one way only.
    Object.defineProperty(request, 'ip', { value: plainAddress(request.ip, request.socket.remoteAddress) });
    request.state = newRequestState(request, log);
    const { stop } = request.state;
    open.add(stop);
    reply.raw.once('close', () => {
      open.delete(stop);
      stop.abort('client_gone');
    });
    reply.header('x-request-id', request.id);
    if (isApi(request.url)) reply.header('cache-control', 'no-store').header(VERSION_HEADER, version);
  });
  app.decorate('endStreams', () => {
    for (const stop of open) stop.abort('shutting_down');
  });
  app.addHook('preClose', async () => app.endStreams());
}

function addProvenance(app: FastifyInstance, settings: ServerSettings): void {
  const own = ownAddresses(settings.publicUrl, settings.allowedHosts);
  app.addHook('onRequest', async (request) => {
    if (isHealthPath(request.url)) return;
    requireOwnHost(own, header(request, 'host'));
    requireOwnOrigin(own, {
      origin: header(request, 'origin'),
      fetchSite: isApi(request.url) ? header(request, 'sec-fetch-site') : undefined,
      fetchMode: header(request, 'sec-fetch-mode'),
      method: request.method,
    });
  });
}

function isApi(url: string): boolean {
  return /^\/api(?:[/?]|$)/.test(url);
}
