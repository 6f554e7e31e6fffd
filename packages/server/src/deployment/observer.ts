import type { KubeClient } from '@berth/kube/client/client';
import { delay, type Clock as KubeClock } from '@berth/kube/client/clock';
import { type Controller, createController } from '@berth/kube/client/controller';
import type { Reflector } from '@berth/kube/client/reflector';
import { createScopedReflector } from '@berth/kube/client/scoped-reflector';
import { objectKey } from '@berth/kube/schema/object';
import { EVENT } from '@berth/kube/schema/resources';
import type { Registry } from 'prom-client';
import { USER_DEPLOYMENT } from '../kubernetes/resource-types.ts';
import type { UserDeployment } from '../kubernetes/user-deployment.ts';
import { pruneActivity, recordActivity } from './activity.ts';
import { listByNamespace, listKeys } from './deployment-repository.ts';
import type { NamespaceKeeper } from './ensure-namespace.ts';
import { eventStory, type KubeEvent, slimEvent } from './event-activity.ts';
import { forgetOldKeys } from './idempotency.ts';
import type { ObserveDeps } from './observe-deps.ts';
import { observeResource } from './observe-resource.ts';
import { sweepNamespaces } from './sweep-namespaces.ts';

/**
 * Follows every UserDeployment and the Events about their objects, and writes what it sees to the rows. A resource's key is looked at
 * when it changes, and all keys of the database once the copy is complete and every minute after: that finds what happened
 * while nobody watched.
 */
export interface Observer {
  /** Resolves when the signal aborts and everything has stopped. */
  run(signal: AbortSignal): Promise<void>;
  synced(): boolean;
  healthy(): boolean;
}

export interface ObserverDeps extends ObserveDeps {
  client: Pick<KubeClient, 'get' | 'apply' | 'patch' | 'list' | 'watch'>;
  namespaces: NamespaceKeeper;
  /** The only namespaces that may be looked into; all when absent. */
  confinedTo?: readonly string[] | undefined;
  timer: KubeClock;
  metrics: Registry;
  resyncMs?: number;
}

const RESYNC_MS = 60_000;
const CONCURRENCY = 4;

export function createObserver(deps: ObserverDeps): Observer {
  const { client, timer, metrics, database, resyncMs = RESYNC_MS } = deps;
  const logger = deps.logger.child({ worker: 'observer' });
  const common = { client, logger, clock: timer, namespaces: deps.confinedTo };
  const resources = createScopedReflector<UserDeployment>({ ...common, type: USER_DEPLOYMENT, name: 'observer' });
  const events = createScopedReflector<KubeEvent>({
    ...common,
    type: EVENT,
    name: 'observer-events',
    transform: slimEvent,
  });

  const observing = createController({
    name: 'observer',
    logger,
    metrics,
    clock: timer,
    concurrency: CONCURRENCY,
    reconcile: (key) => observeResource(deps, key, resources.get(key)),
  }).watches(resources, (object) => [objectKey(object)]);

  const telling = createController({
    name: 'observer-events',
    logger,
    metrics,
    clock: timer,
    reconcile: (key) => tellEvent(deps, events.get(key)),
  }).watches(
    events,
    (object) => [objectKey(object)],
    ({ type }) => type !== 'deleted',
  );

  async function resync(): Promise<void> {
    for (const key of await listKeys(database)) observing.enqueue(key);
    await sweepNamespaces(deps);
    await pruneActivity(database);
    await forgetOldKeys(database, deps.clock());
  }

  return {
    synced: () => resources.hasSynced(),
    healthy: () => resources.healthy(),
    async run(signal) {
      const started = [observing.start(), telling.start()].map((start) =>
        start.catch((err: unknown) => signal.aborted || logger.error({ err }, 'observer did not start')),
      );
      await Promise.race([resources.synced.catch(() => undefined), aborted(signal)]);
      while (!signal.aborted) {
        await resync().catch((err: unknown) => logger.warn({ err }, 'resync failed'));
        await delay(timer, resyncMs, signal);
      }
      await stopAll([observing, telling], [resources, events]);
      await Promise.all(started);
    },
  };
}

async function tellEvent(deps: ObserveDeps, event: KubeEvent | undefined): Promise<void> {
  const namespace = event?.metadata.namespace;
  if (!event || namespace === undefined) return;
  const story = eventStory(event, await listByNamespace(deps.database, namespace), deps.clock());
  if (!story) return;
  const { row, service, level, message, at, sourceKey } = story;
  const about = { teamId: row.teamId, deploymentId: row.id, deploymentName: row.name, service };
  await deps.database.transaction((transaction) =>
    recordActivity(transaction, { ...about, kind: 'event', level, message, at, sourceKey }, deps.clock),
  );
}

async function stopAll(controllers: Controller[], reflectors: Pick<Reflector, 'stop'>[]): Promise<void> {
  await Promise.all(controllers.map((each) => each.stop()));
  await Promise.all(reflectors.map((each) => each.stop()));
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
