import type { KubeClient } from '@berth/kube/client/client';
import { type Clock as KubeClock, systemClock as systemTimer } from '@berth/kube/client/clock';
import { Registry } from 'prom-client';
import type { Logger } from '../logger.ts';
import { createApplier } from './applier.ts';
import { createNamespaceKeeper } from './ensure-namespace.ts';
import { createLeadership } from './leadership.ts';
import type { Delivery } from './namespace.ts';
import { createObserver, type Observer } from './observer.ts';
import type { DeploymentRoutesDeps } from './routes.ts';

/** The background work of a server process: the applier on every one, the observer on one of them. */
export interface DeploymentWorkers {
  /** Resolves when the database answers: the outbox is being drained, and somebody observes the cluster. */
  ready: Promise<void>;
  /** False while this process observes and its copy of the cluster is stale. */
  healthy(): boolean;
  /** How this process observes: another one may do it instead. */
  observation(): { leads: boolean; synced: boolean; healthy: boolean };
  stop(): Promise<void>;
}

export interface DeploymentWorkersDeps extends Omit<DeploymentRoutesDeps, 'generateSecret'> {
  client: KubeClient;
  logger: Logger;
  delivery: Delivery;
  /** The only namespaces that may be used; any when absent. */
  confinedTo?: readonly string[] | undefined;
  metrics?: Registry;
  /** What else one server at a time does. Ends soon after the signal aborts. */
  whileLeading?(signal: AbortSignal): Promise<void>;
  timer?: KubeClock;
}

export function startDeploymentWorkers(deps: DeploymentWorkersDeps): DeploymentWorkers {
  const { timer = systemTimer, metrics = new Registry(), database, logger } = deps;
  const namespaces = createNamespaceKeeper(deps);
  const applier = createApplier({ ...deps, namespaces, timer });
  let observer: Observer | undefined;
  const leadership = createLeadership({
    database,
    logger,
    timer,
    async lead(signal) {
      observer = createObserver({ ...deps, namespaces, timer, metrics });
      await Promise.all([observer.run(signal), deps.whileLeading?.(signal)]);
      observer = undefined;
    },
  });
  applier.start();
  leadership.start();
  return {
    ready: leadership.settled,
    healthy: () => observer === undefined || observer.healthy(),
    observation: () => ({
      leads: observer !== undefined,
      synced: observer?.synced() ?? false,
      healthy: observer?.healthy() ?? false,
    }),
    async stop() {
      await Promise.all([applier.stop(), leadership.stop()]);
    },
  };
}
