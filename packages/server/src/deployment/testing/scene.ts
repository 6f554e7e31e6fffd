import { randomBytes } from 'node:crypto';
import type { Deployment } from '@berth/core/deployment';
import { idsFrom } from '@berth/core/ids';
import type { KubeClient } from '@berth/kube/client/client';
import { systemClock as systemTimer } from '@berth/kube/client/clock';
import type { InjectOptions, LightMyRequestResponse } from 'fastify';
import type { Logger } from 'pino';
import { systemClock } from '../../clock.ts';
import { deploymentRoutes } from '../../live/routes.ts';
import { createLogger } from '../../logger.ts';
import { createEmbeddedSecretStore } from '../../secret/embedded-secret-store.ts';
import { generateSecret } from '../../secret/generate-secret.ts';
import { masterKeys } from '../../secret/master-keys.ts';
import { createTestApp, type TestApp } from '../../testing/app.ts';
import { createTestDatabase, type TestDatabase } from '../../testing/postgres.ts';
import { createTenant, type TestTenant } from '../../testing/tenants.ts';
import type { DeploymentRoutesDeps } from '../routes.ts';
import { publish, testTemplate, vaultTemplate } from './templates.ts';

/** Two people in two teams, a catalogue, and the whole server in process. */
export interface Scene {
  database: TestDatabase;
  app: TestApp;
  owner: TestTenant;
  stranger: TestTenant;
  deps: DeploymentRoutesDeps;
  /** Every line that was logged. */
  logged: string[];
  logger: Logger;
  send(who: TestTenant, method: InjectOptions['method'], path: string, options?: Send): Promise<LightMyRequestResponse>;
  /** Creates in the owner's team; fails the test when it is refused. */
  create(body: Record<string, unknown>, who?: TestTenant): Promise<Deployment>;
  end(): Promise<void>;
}

export interface Send {
  body?: unknown;
  headers?: Record<string, string>;
}

export const DOMAIN = 'apps.test';
export const PLATFORM_HOST = 'platform.apps.test';

export async function startScene(options: { client?: KubeClient; plan?: 'free' | 'business' } = {}): Promise<Scene> {
  const database = await createTestDatabase();
  const logged: string[] = [];
  const logger = createLogger({
    name: 'test',
    level: 'debug',
    destination: { write: (line) => void logged.push(line) },
  });
  const keys = masterKeys({ id: 'test', key: randomBytes(32) });
  const deps: DeploymentRoutesDeps = {
    database,
    clock: systemClock,
    newId: idsFrom(randomBytes),
    secrets: createEmbeddedSecretStore({ keys, clock: systemClock }),
    keys,
    hosts: { domain: DOMAIN, reserved: [PLATFORM_HOST] },
    urlOf: (host) => `http://${host}:7000`,
    generateSecret,
  };
  await publish(database, testTemplate('plain'));
  await publish(database, vaultTemplate());
  const owner = await createTenant(database, 'Owner', { plan: options.plan ?? 'business' });
  const stranger = await createTenant(database, 'Stranger');
  const client = options.client ?? unreachable;
  const deployments = deploymentRoutes({ ...deps, client, logger, timer: systemTimer });
  const app = await createTestApp({ database, deployments, log: logger });
  const send: Scene['send'] = (who, method, path, { body, headers } = {}) =>
    app.as(who, {
      method: method ?? 'GET',
      url: path,
      ...(headers && { headers }),
      ...(body !== undefined && { payload: body as object }),
    });
  return {
    database,
    app,
    owner,
    stranger,
    deps,
    logged,
    logger,
    send,
    async create(body, who = owner) {
      const answer = await send(who, 'POST', '/api/deployments', { body: { team: who.teamId, ...body } });
      if (answer.statusCode !== 201) throw new Error(`create was answered ${answer.statusCode}: ${answer.body}`);
      return answer.json();
    },
    async end() {
      await app.close();
      await deployments.stop();
      await database.close();
    },
  };
}

const unreachable: Pick<KubeClient, 'list' | 'raw' | 'socket'> = {
  socket: () => Promise.reject(new Error('this scene has no cluster')),
  list: () => Promise.reject(new Error('this scene has no cluster')),
  raw: () => Promise.reject(new Error('this scene has no cluster')),
};
