import { systemClock } from '@berth/kube/client/clock';
import { createKubeClient } from '@berth/kube/client/http-client';
import { collectDefaultMetrics, Registry } from 'prom-client';
import type { Settings } from '../configuration/environment.ts';
import type { OPERATOR_VARIABLES } from '../configuration/process-settings.ts';
import { observeRequests } from '../kubernetes/observe-requests.ts';
import { observedClient } from '../kubernetes/observed-client.ts';
import { createLogger } from '../logger.ts';
import { watchLeadership } from '../metrics/leader-metrics.ts';
import { type AroundReconcile, type Operator, startOperator } from '../operator/register.ts';
import { watchEventLoop } from '../processes/event-loop.ts';
import { listenForMetrics } from '../processes/metrics-listener.ts';
import type { Probes } from '../processes/probes.ts';
import type { Service } from '../processes/service.ts';
import { inSpan } from '../tracing/spans.ts';
import { traceIfWanted } from '../tracing/trace-if-wanted.ts';
import { appPlace } from './app-address.ts';
import { loadCluster } from './load-cluster.ts';

export interface OperatorStart {
  /** Unlike that of any other process. */
  identity: string;
  version: string;
  stopping: AbortSignal;
}

/** Makes what UserDeployments ask for. It knows the Kubernetes API and nothing else. */
export async function runOperator(
  settings: Settings<typeof OPERATOR_VARIABLES>,
  { identity, version, stopping }: OperatorStart,
): Promise<Service> {
  const place = appPlace(settings);
  const logger = createLogger({ name: 'operator', level: settings.logLevel });
  const tracing = await traceIfWanted(settings, {
    service: 'berth-operator',
    version,
    instance: identity,
    log: logger,
  });
  const metrics = new Registry();
  collectDefaultMetrics({ register: metrics });
  const eventLoop = watchEventLoop();
  let operator: Operator | undefined;
  watchLeadership(metrics, () => operator?.isLeading() ?? false);
  const listener = await listenForMetrics(
    metrics,
    settings,
    operatorProbes(() => operator, eventLoop.probes),
  );
  const stop = async () => {
    await operator?.stop();
    await listener?.stop();
    await tracing?.stop();
    eventLoop.stop();
  };
  try {
    operator = await startOperator({
      client: observedClient(createKubeClient(await loadCluster(settings)), observeRequests(metrics)),
      clock: systemClock,
      logger,
      metrics,
      around: traceReconcile,
      options: {
        ingressClassName: settings.ingressClass,
        delivery: settings.secretsDelivery,
        leaderElection:
          settings.leaseNamespace === undefined ? undefined : { namespace: settings.leaseNamespace, identity },
        publicScheme: place.scheme,
        publicPort: place.port,
        installDefinitions: settings.installDefinitions,
        namespaces: settings.namespaces,
        ingressTls: settings.ingressTls,
        ingressAnnotations: settings.ingressAnnotations,
        imagePrefix: settings.imagePrefix,
      },
    });
    await Promise.race([operator.ready, whenStopped(stopping)]);
  } catch (error) {
    await stop();
    throw error;
  }
  return { stop };
}

/** Ready is who could take over at once; whether it leads or stands by is told. */
function operatorProbes(operator: () => Operator | undefined, live: Probes['live']): Probes {
  return {
    live: [{ name: 'ping', problem: () => undefined }, ...live],
    ready: [
      {
        name: 'caches',
        problem: () => (operator()?.healthy() ? undefined : 'its copy of the cluster is not there, or old'),
      },
      { name: 'leader', tells: true, problem: () => (operator()?.isLeading() ? undefined : 'it stands by') },
    ],
  };
}

function whenStopped(stopping: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const stop = () => reject(new Error('told to stop before its caches were filled'));
    if (stopping.aborted) stop();
    else stopping.addEventListener('abort', stop, { once: true });
  });
}

const traceReconcile: AroundReconcile = ({ controller, key }, run) =>
  inSpan({ name: `reconcile ${controller}`, attributes: { 'k8s.controller': controller, 'k8s.object.key': key } }, run);
