/**
 * The embedded Kubernetes API server: HTTPS on the loopback interface, with its own certificate authority. What it serves and what it
 * refuses is listed in the package's README.
 */
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { stringify } from 'yaml';
import type { Logger } from '../../client/logger.ts';
import type { Store } from '../store/store.ts';
import { createAdmission } from './admission/admission.ts';
import { defaultClasses } from './admission/default-classes.ts';
import { defaultServiceAccount } from './admission/default-service-account.ts';
import { limitRanger } from './admission/limit-ranger.ts';
import { namespaceLifecycle } from './admission/namespace-lifecycle.ts';
import { podSecurity } from './admission/pod-security.ts';
import { rbacEscalation } from './admission/rbac-escalation.ts';
import { resourceQuota } from './admission/resource-quota.ts';
import { rbacAllows } from './auth/rbac.ts';
import { createTokens } from './auth/tokens.ts';
import { bootstrap } from './bootstrap.ts';
import { followDefinitions } from './crd/follow-definitions.ts';
import { createHandler } from './http/handler.ts';
import { createWebSockets } from './http/web-sockets.ts';
import { builtInKinds } from './kinds/built-in.ts';
import { metricsKinds } from './kinds/metrics.ts';
import type { NodeAgent } from './node-agent.ts';
import { type ClientCredentials, openPki, type Pki } from './pki.ts';
import { createRegistry } from './registry.ts';
import type { Rules } from './rules/rules.ts';
import { secretSeal } from './seal.ts';

export interface ApiServerOptions {
  /** 0: any free one. */
  port: number;
  /** Opened and closed by the server. */
  store: Store;
  /** Certificates are made once and kept here. */
  pkiDirectory: string;
  /** 32 bytes: Secrets are encrypted at rest with it. */
  encryptionKey?: Buffer;
  /** ClusterIPs come from here, `127.32.0.0/12`. */
  serviceNetwork: string;
  nodeAgent?: () => NodeAgent | undefined;
  /** Whether the node can measure what pods use: without, there is no metrics.k8s.io. */
  measures?: boolean;
  clock: { now(): number };
  /** A UUID. */
  newId: () => string;
  logger?: Logger;
}

export interface ApiServer {
  url: string;
  caCertificate: string;
  /** A client certificate for this user. */
  credentials(user: { name: string; groups: string[] }): Promise<ClientCredentials>;
  /** A kubeconfig with such a certificate inside. */
  kubeconfig(user: { name: string; groups: string[] }): Promise<string>;
  close(): Promise<void>;
}

const LOOPBACK = '127.0.0.1';

export async function startApiServer(options: ApiServerOptions): Promise<ApiServer> {
  const { store, clock } = options;
  const pki = await openPki(options.pkiDirectory, { now: clock.now(), addresses: [LOOPBACK] });
  await store.open(options.encryptionKey && secretSeal(options.encryptionKey));
  const tokens = createTokens(pki.tokenKey);
  const rules: Rules = {
    store,
    registry: createRegistry(options.measures ? [...builtInKinds, ...metricsKinds] : builtInKinds),
    admission: createAdmission([
      namespaceLifecycle,
      defaultServiceAccount,
      defaultClasses,
      limitRanger,
      podSecurity(options.logger),
      rbacEscalation,
      resourceQuota,
    ]),
    clock,
    newId: options.newId,
    readToken: (token) => tokens.read(token, store, clock.now()),
    serviceNetwork: options.serviceNetwork,
  };
  const stopFollowing = followDefinitions(rules, options.logger);
  let open = true;
  const sockets = createWebSockets();
  const handler = createHandler({
    rules,
    tokens,
    authorize: (user, access) => rbacAllows(store, user, access),
    address: () => `${LOOPBACK}:${portOf(server)}`,
    ready: () => open,
    nodeAgent: () => options.nodeAgent?.(),
    logger: options.logger,
    sockets,
  });
  const server: Server = createServer(
    {
      cert: pki.serverCertificate,
      key: pki.serverKey,
      ca: pki.caCertificate,
      requestCert: true,
      rejectUnauthorized: false,
      minVersion: 'TLSv1.2',
    },
    handler.request,
  );
  server.on('upgrade', handler.upgrade);
  // A write after its connection broke is an event on the response; unheard, it would end the process.
  server.prependListener('request', (_request, response) => {
    response.on('error', (err) => options.logger?.warn({ err }, 'a response could not be written'));
  });
  try {
    await bootstrap(rules);
    await listen(server, options.port);
  } catch (error) {
    await store.close();
    throw error;
  }
  const url = `https://${LOOPBACK}:${portOf(server)}`;
  return {
    url,
    caCertificate: pki.caCertificate,
    credentials: (user) => pki.issue(user, clock.now()),
    kubeconfig: async (user) => kubeconfigOf(url, pki, await pki.issue(user, clock.now())),
    async close() {
      open = false;
      stopFollowing();
      sockets.closeAll();
      await stop(server);
      await store.close();
    },
  };
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, LOOPBACK, () => resolve());
  });
}

/** Watches never end by themselves: open connections are cut. */
function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

function kubeconfigOf(url: string, pki: Pki, credentials: ClientCredentials): string {
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'embedded', cluster: { server: url, 'certificate-authority-data': base64(pki.caCertificate) } }],
    users: [
      {
        name: 'embedded',
        user: {
          'client-certificate-data': base64(credentials.certificate),
          'client-key-data': base64(credentials.key),
        },
      },
    ],
    contexts: [{ name: 'embedded', context: { cluster: 'embedded', user: 'embedded', namespace: 'default' } }],
    'current-context': 'embedded',
  });
}
