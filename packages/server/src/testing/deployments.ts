import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { idsFrom } from '@berth/core/ids';
import { systemClock } from '../clock.ts';
import type { Database } from '../db/database.ts';
import { deploymentHandlers, teamOfDeployment } from '../deployment/routes.ts';
import type { DeploymentRoutes, Handler } from '../http/handler.ts';
import { createLogger } from '../logger.ts';
import { createEmbeddedSecretStore } from '../secret/embedded-secret-store.ts';
import { generateSecret } from '../secret/generate-secret.ts';
import { masterKeys } from '../secret/master-keys.ts';
import { loadCatalogue } from '../template/load-catalogue.ts';

const TEMPLATES = fileURLToPath(new URL('../../../../templates', import.meta.url));

/** The real deployments, with the shipped catalogue and the encrypted store, and no cluster behind them. */
export async function createTestDeployments(database: Database): Promise<DeploymentRoutes> {
  const log = createLogger({ name: 'test', level: 'silent' });
  await loadCatalogue({ database, clock: systemClock, log, development: false }, TEMPLATES);
  const keys = masterKeys({ id: 'test', key: randomBytes(32) });
  const handlers = deploymentHandlers({
    database,
    clock: systemClock,
    newId: idsFrom(randomBytes),
    secrets: createEmbeddedSecretStore({ keys, clock: systemClock }),
    keys,
    hosts: { domain: 'berth.test', reserved: [] },
    urlOf: (host) => `http://${host}:7000`,
    generateSecret,
  });
  return {
    handlers: { ...handlers, streamEvents: emptyStream, streamLogs: emptyStream },
    teamOfDeployment: teamOfDeployment(database),
  };
}

/** Without a cluster nothing happens: a stream says so and ends. */
const emptyStream: Handler<'streamEvents' | 'streamLogs'> = async ({ openStream }) => {
  openStream('text/event-stream').write(': nothing\n\n');
  return undefined;
};
