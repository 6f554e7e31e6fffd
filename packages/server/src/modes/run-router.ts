import { createKubeClient } from '@berth/kube/client/http-client';
import { loadKubeConfig } from '@berth/kube/client/kubeconfig';
import { startRouter } from '@berth/kube/embedded/ingress/router';
import { collectDefaultMetrics, Registry } from 'prom-client';
import type { Settings } from '../configuration/environment.ts';
import type { ROUTER_VARIABLES } from '../configuration/process-settings.ts';
import { createLogger } from '../logger.ts';
import { listenForMetrics } from '../processes/metrics-listener.ts';
import type { Service } from '../processes/service.ts';
import { platformHosts } from '../router/platform-hosts.ts';

/** The public port: the platform's own hosts go to the server, the hosts of Ingresses to their services. */
export async function runRouter(settings: Settings<typeof ROUTER_VARIABLES>): Promise<Service> {
  const logger = createLogger({ name: 'router', level: settings.logLevel });
  const server = new URL(settings.serverUrl);
  const metrics = new Registry();
  collectDefaultMetrics({ register: metrics });
  const router = await startRouter({
    client: createKubeClient(await loadKubeConfig({ path: settings.kubeconfigFile })),
    host: settings.bind,
    port: settings.port,
    staticRoutes: [{ hosts: platformHosts(settings), upstream: { host: server.hostname, port: Number(server.port) } }],
    ingressClassName: settings.ingressClass,
    hostname: settings.domain,
    logger,
    metrics,
  });
  const listener = await listenForMetrics(metrics, settings);
  return {
    async stop() {
      await router.close();
      await listener?.stop();
    },
  };
}
