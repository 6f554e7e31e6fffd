import type { KubeClient } from '@berth/kube/client/client';
import type { Clock } from '@berth/kube/client/clock';
import { type Controller, createController, type Reconcile } from '@berth/kube/client/controller';
import { createEventRecorder } from '@berth/kube/client/event-recorder';
import { fencedClient } from '@berth/kube/client/fenced-client';
import { startLeaderElection } from '@berth/kube/client/leader-election';
import type { Logger } from '@berth/kube/client/logger';
import type { Reflector } from '@berth/kube/client/reflector';
import type { KubeObject } from '@berth/kube/schema/object';
import type { Registry } from 'prom-client';
import { installDefinitions } from '../kubernetes/definitions.ts';
import { createArrivals } from './arrivals.ts';
import { type Caches, createCaches } from './caches.ts';
import { createStoreConnections } from './external-secret/read-value.ts';
import { createDelivery } from './external-secret/reconcile.ts';
import type { IngressTls } from './user-deployment/desired/ingress.ts';
import { createReconcile } from './user-deployment/reconcile.ts';
import { watchForDelivery, watchForUserDeployments } from './watches.ts';

export const OPERATOR_LEASE = 'berth-operator';

/** A resource that changes all the time is looked at ten times a second and not more. */
const MIN_INTERVAL_MS = 100;
/** Most of the time each waits for the server. */
const CONCURRENCY = 16;

export interface OperatorOptions {
  /** Of every Ingress; the cluster's default class when absent. */
  ingressClassName?: string | undefined;
  ingressTls?: IngressTls | undefined;
  /** On every Ingress, besides our own. */
  ingressAnnotations?: Readonly<Record<string, string>>;
  /** The registry of images that a spec names as `berth.dev/NAME`; that name itself when absent. */
  imagePrefix?: string;
  /** `external-secrets` where External Secrets is installed: two controllers would write the same Secrets. */
  delivery: 'built-in' | 'external-secrets';
  /** UserDeployments that are reconciled at the same time. */
  concurrency?: number;
  /** Undefined where only one operator can be running. */
  leaderElection: { namespace: string; identity: string } | undefined;
  /** How the outside reaches a granted host: for `status.url`. */
  publicScheme: 'http' | 'https';
  publicPort?: number | undefined;
  /** The only namespaces that are looked into; all when absent. */
  namespaces?: readonly string[] | undefined;
  /** Off where the chart installs the definitions. */
  installDefinitions: boolean;
}

export interface OperatorDependencies {
  client: KubeClient;
  clock: Clock;
  logger: Logger;
  metrics: Registry;
  options: OperatorOptions;
  /** Runs each reconcile, as a trace of its own for example. */
  around?: AroundReconcile;
}

export type AroundReconcile = <T>(what: { controller: string; key: string }, run: () => Promise<T>) => Promise<T>;

export interface Operator {
  /** Resolves when every cache is filled for the first time; rejects when stopped before. */
  ready: Promise<void>;
  /** False while any cache is not filled or has lost the server for longer than a moment: do not trust the status then. */
  healthy(): boolean;
  /** True only while this process may write. */
  isLeading(): boolean;
  stop(): Promise<void>;
}

/** Caches run in every replica, so that a new leader can begin at once; controllers run in the leader alone. */
export async function startOperator(dependencies: OperatorDependencies): Promise<Operator> {
  const { client, clock, logger, options } = dependencies;
  if (options.installDefinitions) {
    const externalSecrets = options.delivery === 'built-in' ? 'install-if-missing' : 'never';
    await installDefinitions(client, { externalSecrets, clock });
  }
  const caches = createCaches({ client, logger, clock, namespaces: options.namespaces });
  const arrivals = createArrivals(caches, clock);
  const reflectors = reflectorsOf(caches, options);
  const connections = createStoreConnections();
  // What has happened may be told a moment after leadership has ended.
  const recorder = createEventRecorder({ client, component: 'berth-operator', logger, clock });
  let controllers: Controller[] = [];

  /** `writer` writes for as long as this process leads. */
  function makeControllers(writer: KubeClient): Controller[] {
    const now = () => clock.now();
    const common = { logger, clock, metrics: dependencies.metrics, queue: { minIntervalMs: MIN_INTERVAL_MS } };
    const { concurrency = CONCURRENCY } = options;
    const { around = (_what, run) => run() } = dependencies;
    const makeController = (name: string, reconcile: Reconcile) =>
      createController({
        ...common,
        ...{ name, concurrency },
        reconcile: (key, context) => around({ controller: name, key }, () => reconcile(key, context)),
      });
    const reconcile = createReconcile({ caches, arrivals, client: writer, options, now, record: recorder.record });
    const main = makeController('user-deployment', reconcile);
    watchForUserDeployments(main, caches);
    if (options.delivery !== 'built-in') return [main];
    const deliver = createDelivery({ caches, client: writer, connections, now });
    const delivery = makeController('secret-delivery', deliver);
    watchForDelivery(delivery, caches);
    return [main, delivery];
  }

  async function startControllers(writer: KubeClient): Promise<void> {
    controllers = makeControllers(writer);
    await Promise.all(controllers.map((controller) => controller.start()));
  }

  async function stopControllers(): Promise<void> {
    const stopped = controllers;
    controllers = [];
    await Promise.all(stopped.map((controller) => controller.stop()));
  }

  for (const reflector of reflectors) reflector.start();
  const ready = Promise.all(reflectors.map((reflector) => reflector.synced)).then(() => undefined);
  // Whoever starts an operator may not wait for it.
  ready.catch(() => undefined);
  const election = options.leaderElection && elect(options.leaderElection);
  if (!election) startControllers(client).catch((err: unknown) => logger.error({ err }, 'controllers did not start'));

  function elect({ namespace, identity }: { namespace: string; identity: string }) {
    const lease = { name: OPERATOR_LEASE, namespace };
    const started = startLeaderElection({
      ...{ client, lease, identity, logger, clock },
      onStarted: (signal) => {
        const isOpen = () => !signal.aborted && started.isLeader();
        return startControllers(fencedClient(client, { isOpen }));
      },
      onStopped: stopControllers,
    });
    return started;
  }

  return {
    ready,
    healthy: () => reflectors.every((reflector) => reflector.healthy()),
    isLeading: () => election?.isLeader() ?? controllers.length > 0,
    async stop() {
      await election?.stop();
      await stopControllers();
      await Promise.all(reflectors.map((reflector) => reflector.stop()));
      await recorder.flush();
      await connections.close();
    },
  };
}

function reflectorsOf(caches: Caches, { delivery }: OperatorOptions): Reflector<KubeObject>[] {
  const { userDeployments, namespaces, children, versions, pods, secrets, warnings, secretStores } = caches;
  // The stores are External Secrets' business where it is installed.
  const stores = delivery === 'built-in' ? [secretStores] : [];
  const all = [userDeployments, namespaces, ...children.values(), versions, pods, secrets, warnings, ...stores];
  return all as unknown as Reflector<KubeObject>[];
}
