import { randomBytes } from 'node:crypto';
import { Duplex, Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { idsFrom } from '@berth/core/ids';
import type { ListOptions } from '@berth/kube/client/client';
import type { ContainerStatus, Pod } from '@berth/kube/schema/kinds/pod';
import type { KubeObject, ResourceType } from '@berth/kube/schema/object';
import { systemClock } from '../clock.ts';
import type { Database } from '../db/database.ts';
import type { DeploymentRoutes } from '../http/handler.ts';
import { type AllDeploymentRoutesDeps, deploymentRoutes } from '../live/routes.ts';
import { createLogger } from '../logger.ts';
import { createEmbeddedSecretStore } from '../secret/embedded-secret-store.ts';
import { generateSecret } from '../secret/generate-secret.ts';
import { masterKeys } from '../secret/master-keys.ts';
import { loadCatalogue } from '../template/load-catalogue.ts';

const TEMPLATES = fileURLToPath(new URL('../../../../templates', import.meta.url));

export type TestDeployments = DeploymentRoutes & { stop(): Promise<void> };

type ClusterClient = AllDeploymentRoutesDeps['client'];

/** The real deployments, streams and shells, with the shipped catalogue and the encrypted store, and a cluster that is a picture. */
export async function createTestDeployments(
  database: Database,
  client: ClusterClient = pictureOfCluster,
): Promise<TestDeployments> {
  const logger = createLogger({ name: 'test', level: 'silent' });
  await loadCatalogue({ database, clock: systemClock, log: logger, development: false }, TEMPLATES);
  const keys = masterKeys({ id: 'test', key: randomBytes(32) });
  return deploymentRoutes({
    database,
    logger,
    keys,
    generateSecret,
    client,
    clock: systemClock,
    newId: idsFrom(randomBytes),
    secrets: createEmbeddedSecretStore({ keys, clock: systemClock }),
    hosts: { domain: 'berth.test', reserved: [] },
    urlOf: (host) => `http://${host}:7000`,
  });
}

/** Every service has one pod that is ready, has written nothing, and takes in silence whatever is said to it. */
const pictureOfCluster: ClusterClient = {
  async list<T extends KubeObject>(_type: ResourceType, { labelSelector = '' }: ListOptions = {}) {
    const service = /berth\.dev\/service=([^,]+)/.exec(labelSelector)?.[1] ?? 'web';
    const pod: Pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: `${service}-1` },
      spec: { containers: [{ name: service, image: 'picture' }] },
      status: {
        phase: 'Running',
        conditions: [{ type: 'Ready', status: 'True' }],
        containerStatuses: [runningContainer(service)],
      },
    };
    const items = [pod] as KubeObject[] as T[];
    return { apiVersion: 'v1', kind: 'List', metadata: { resourceVersion: '1' }, items };
  },
  async raw() {
    return { status: 404, headers: {}, body: Readable.from([]), text: async () => '' };
  },
  async socket(_path, { protocols }) {
    const frames = new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() });
    return { protocol: protocols[0] ?? '', frames };
  },
};

function runningContainer(name: string): ContainerStatus {
  const state = { running: { startedAt: new Date(0).toISOString() } };
  return { name, state, lastState: {}, ready: true, restartCount: 0, image: 'picture', imageID: 'picture' };
}
