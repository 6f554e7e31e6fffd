import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { namespaceOf } from '@berth/core/names';
import { API_VERSION, LABELS, SERVER_MANAGER, type UserDeploymentSpec } from '@berth/core/user-deployment';
import type { KubeClient, KubeConfig } from '@berth/kube/client/client';
import { type Clock, systemClock } from '@berth/kube/client/clock';
import { createKubeClient } from '@berth/kube/client/http-client';
import { loadKubeConfig } from '@berth/kube/client/kubeconfig';
import { createSilentLogger, type LogRecord } from '@berth/kube/client/testing/silent-logger';
import { startApiServer } from '@berth/kube/embedded/api/server';
import { memoryStore } from '@berth/kube/embedded/store/journaled-store';
import type { KubeObject, ResourceType } from '@berth/kube/schema/object';
import { DEPLOYMENT, NAMESPACE, PERSISTENT_VOLUME_CLAIM, SECRET, SERVICE_ACCOUNT } from '@berth/kube/schema/resources';
import { isKubeError } from '@berth/kube/schema/status';
import { Registry } from 'prom-client';
import { installDefinitions } from '../../kubernetes/definitions.ts';
import { USER_DEPLOYMENT } from '../../kubernetes/resource-types.ts';
import type { UserDeployment } from '../../kubernetes/user-deployment.ts';
import { CHILD_TYPES } from '../caches.ts';
import type { Deployment } from '../kinds.ts';
import { type Operator, type OperatorOptions, startOperator } from '../register.ts';
import { isSettled } from '../user-deployment/readiness.ts';
import { admittedStatus } from './fixtures.ts';
import { type RecordingClient, recordingClient } from './recording-client.ts';

/**
 * A real API server over HTTPS, and operators beside it. No controller and no node run: the test does what they would do,
 * when it wants it.
 */
export interface OperatorScene {
  client: KubeClient;
  /** A namespace of a team that nobody else uses. */
  newNamespace(): Promise<string>;
  startOperator(options?: StartOptions): Promise<RunningOperator>;
  /** The API is gone; operators go on. */
  stopServer(): Promise<void>;
  end(): Promise<void>;
}

export interface StartOptions extends Partial<OperatorOptions> {
  clock?: Clock;
  /** Dies when this many writes have been made. */
  diesAfter?: number;
}

export interface RunningOperator extends Operator {
  client: RecordingClient;
  metrics: Registry;
  logs: LogRecord[];
}

const OPTIONS: OperatorOptions = {
  ingressClassName: 'berth',
  delivery: 'external-secrets',
  leaderElection: undefined,
  publicScheme: 'http',
  publicPort: 8080,
  installDefinitions: false,
};

export async function startOperatorScene(): Promise<OperatorScene> {
  const directory = await mkdtemp(join(tmpdir(), 'operator-'));
  const server = await startApiServer({
    port: 0,
    store: memoryStore(),
    pkiDirectory: join(directory, 'pki'),
    serviceNetwork: '127.32.0.0/12',
    clock: { now: () => Date.now() },
    newId: randomUUID,
  });
  const path = join(directory, 'kubeconfig');
  await writeFile(path, await server.kubeconfig({ name: 'test', groups: ['system:masters'] }));
  const config = await loadKubeConfig({ path });
  const scene = await sceneOf(config);
  let stopped: Promise<void> | undefined;
  const stopServer = () => {
    stopped ??= server.close();
    return stopped;
  };
  return {
    ...scene,
    stopServer,
    async end() {
      await scene.end();
      await stopServer();
      await rm(directory, { recursive: true });
    },
  };
}

/** On whatever serves the API; `end` ends operators and client, and leaves the server. */
export async function sceneOf(config: KubeConfig): Promise<Omit<OperatorScene, 'stopServer'>> {
  const client = createKubeClient(config);
  await installDefinitions(client, { externalSecrets: 'install-if-missing' });
  const operators: RunningOperator[] = [];
  return {
    client,
    async newNamespace() {
      const team = `t${randomUUID().replaceAll('-', '').slice(0, 15)}`;
      const name = namespaceOf(team);
      const labels = { [LABELS.team]: team };
      await client.create(NAMESPACE, { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } });
      const account = { name: 'default', namespace: name };
      await client
        .create(SERVICE_ACCOUNT, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: account })
        .catch((error: unknown) => {
          // Where controllers run they make it.
          if (!isKubeError(error, 'AlreadyExists')) throw error;
        });
      return name;
    },
    async startOperator({ diesAfter, clock = systemClock, ...options } = {}) {
      const own = createKubeClient(config);
      const recording = recordingClient(own, diesAfter);
      const logger = createSilentLogger();
      const metrics = new Registry();
      const all = { ...OPTIONS, ...options };
      const operator = await startOperator({ client: recording, clock, logger, metrics, options: all });
      await operator.ready;
      const running: RunningOperator = {
        ...operator,
        client: recording,
        metrics,
        logs: logger.records,
        async stop() {
          await operator.stop();
          await own.close();
        },
      };
      operators.push(running);
      return running;
    },
    async end() {
      for (const operator of operators) await operator.stop();
      await client.close();
    },
  };
}

/** One UserDeployment as people and platform see it. */
export interface Subject {
  name: string;
  namespace: string;
  create(spec: UserDeploymentSpec): Promise<UserDeployment>;
  /** The platform says yes. */
  admit(hosts?: string[]): Promise<void>;
  edit(change: (spec: UserDeploymentSpec) => UserDeploymentSpec): Promise<void>;
  delete(): Promise<void>;
  read(): Promise<UserDeployment | undefined>;
  /** Every child with the deployment's label, as `Kind/name`. */
  children(): Promise<string[]>;
  childObjects(): Promise<KubeObject[]>;
  get<T extends KubeObject>(type: ResourceType, name: string): Promise<T | undefined>;
  /** What the controllers and a node would do: every Deployment gets the pods it wants, ready. */
  runPods(): Promise<void>;
  /** What the controller that protects claims in use would do: no pod is left that uses them. */
  releaseClaims(): Promise<void>;
  /** What a secrets controller would do for this service. */
  deliver(service: string, version: string, values: Record<string, string>): Promise<void>;
}

export function subjectOf(client: KubeClient, at: { name: string; namespace: string }): Subject {
  const { name, namespace } = at;
  const labelSelector = `${LABELS.deployment}=${name}`;

  async function find<T extends KubeObject>(type: ResourceType, of: string): Promise<T | undefined> {
    try {
      return await client.get<T>(type, { name: of, namespace });
    } catch (error) {
      if (isKubeError(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  async function childObjects(): Promise<KubeObject[]> {
    const lists = await Promise.all(CHILD_TYPES.map((type) => client.list(type, { namespace, labelSelector })));
    return lists.flatMap(({ items }) => items);
  }

  const subject: Subject = {
    name,
    namespace,
    childObjects,
    get: find,
    async create(spec) {
      const object = { apiVersion: API_VERSION, kind: 'UserDeployment', metadata: { name, namespace }, spec };
      return client.apply<UserDeployment>(USER_DEPLOYMENT, object, { fieldManager: SERVER_MANAGER, force: true });
    },
    async admit(hosts = []) {
      const status = admittedStatus(hosts, Date.now());
      const object = { apiVersion: API_VERSION, kind: 'UserDeployment', metadata: { name, namespace }, status };
      const options = { subresource: 'status', fieldManager: SERVER_MANAGER, force: true } as const;
      await client.apply(USER_DEPLOYMENT, object, options);
    },
    async edit(change) {
      const current = await client.get<UserDeployment>(USER_DEPLOYMENT, at);
      await subject.create(change(current.spec));
    },
    async delete() {
      await client.delete(USER_DEPLOYMENT, at);
    },
    read: () => find<UserDeployment>(USER_DEPLOYMENT, name),
    async children() {
      return (await childObjects()).map((object) => `${object.kind}/${object.metadata.name}`).sort();
    },
    async runPods() {
      const { items } = await client.list<Deployment>(DEPLOYMENT, { namespace, labelSelector });
      for (const deployment of items.filter((each) => !isSettled(each))) {
        const { metadata, spec } = deployment;
        const pods = spec.replicas ?? 1;
        const counts = { replicas: pods, updatedReplicas: pods, readyReplicas: pods, availableReplicas: pods };
        const body = { status: { observedGeneration: metadata.generation, ...counts } };
        const options = { subresource: 'status' } as const;
        await client.patch(DEPLOYMENT, { name: metadata.name, namespace }, { type: 'merge', body }, options);
      }
    },
    async releaseClaims() {
      const { items } = await client.list(PERSISTENT_VOLUME_CLAIM, { namespace, labelSelector });
      for (const { metadata } of items.filter((claim) => claim.metadata.deletionTimestamp !== undefined)) {
        const body = { metadata: { finalizers: null } };
        await client.patch(PERSISTENT_VOLUME_CLAIM, { name: metadata.name, namespace }, { type: 'merge', body });
      }
    },
    async deliver(service, version, values) {
      const data = Object.fromEntries(
        Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
      );
      const secretName = `${name}-${service}`;
      const labels = { [LABELS.deployment]: name, [LABELS.service]: service };
      const annotations = { 'berth.dev/secret-version': version };
      const metadata = { name: secretName, namespace, labels, annotations };
      await client.apply(
        SECRET,
        { apiVersion: 'v1', kind: 'Secret', metadata, data },
        { fieldManager: 'test', force: true },
      );
    },
  };
  return subject;
}
