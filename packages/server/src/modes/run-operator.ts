import { systemClock } from '@berth/kube/client/clock';
import { createKubeClient } from '@berth/kube/client/http-client';
import { collectDefaultMetrics, Registry } from 'prom-client';
import type { Settings } from '../configuration/environment.ts';
import type { OPERATOR_VARIABLES } from '../configuration/process-settings.ts';
import { createLogger } from '../logger.ts';
import { startOperator } from '../operator/register.ts';
import { listenForMetrics } from '../processes/metrics-listener.ts';
import type { Service } from '../processes/service.ts';
import { appPlace } from './app-address.ts';
import { loadCluster } from './load-cluster.ts';

/** Makes what UserDeployments ask for. It knows the Kubernetes API and nothing else. */
export async function runOperator(settings: Settings<typeof OPERATOR_VARIABLES>, identity: string): Promise<Service> {
  const place = appPlace(settings);
  const metrics = new Registry();
  collectDefaultMetrics({ register: metrics });
  const operator = await startOperator({
    client: createKubeClient(await loadCluster(settings)),
    clock: systemClock,
    logger: createLogger({ name: 'operator', level: settings.logLevel }),
    metrics,
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
  await operator.ready;
  const listener =
    settings.metricsPort === undefined
      ? undefined
      : await listenForMetrics({ registry: metrics, host: settings.metricsBind, port: settings.metricsPort });
  return {
    async stop() {
      await operator.stop();
      await listener?.stop();
    },
  };
}
