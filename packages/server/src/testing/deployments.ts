import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { idsFrom } from '@berth/core/ids';
import { systemClock } from '../clock.ts';
import type { Database } from '../db/database.ts';
import type { DeploymentRoutes } from '../http/handler.ts';
import type { LogClient } from '../live/pod-logs.ts';
import { deploymentRoutes } from '../live/routes.ts';
import { createLogger } from '../logger.ts';
import { createEmbeddedSecretStore } from '../secret/embedded-secret-store.ts';
import { generateSecret } from '../secret/generate-secret.ts';
import { masterKeys } from '../secret/master-keys.ts';
import { loadCatalogue } from '../template/load-catalogue.ts';

const TEMPLATES = fileURLToPath(new URL('../../../../templates', import.meta.url));

export type TestDeployments = DeploymentRoutes & { stop(): Promise<void> };

/** The real deployments and streams, with the shipped catalogue and the encrypted store, and a cluster in which nothing is. */
export async function createTestDeployments(database: Database): Promise<TestDeployments> {
  const logger = createLogger({ name: 'test', level: 'silent' });
  await loadCatalogue({ database, clock: systemClock, log: logger, development: false }, TEMPLATES);
  const keys = masterKeys({ id: 'test', key: randomBytes(32) });
  return deploymentRoutes({
    database,
    logger,
    keys,
    generateSecret,
    client: emptyCluster,
    clock: systemClock,
    newId: idsFrom(randomBytes),
    secrets: createEmbeddedSecretStore({ keys, clock: systemClock }),
    hosts: { domain: 'berth.test', reserved: [] },
    urlOf: (host) => `http://${host}:7000`,
  });
}

const emptyCluster: LogClient = {
  list: async () => ({ apiVersion: 'v1', kind: 'List', metadata: { resourceVersion: '1' }, items: [] }),
  raw: () => Promise.reject(new Error('there are no pods whose logs could be read')),
};
