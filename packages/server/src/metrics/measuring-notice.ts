import type { KubeClient } from '@berth/kube/client/client';
import type { Clock } from '@berth/kube/client/clock';
import { listIn } from '@berth/kube/client/list-in';
import { POD_METRICS } from '@berth/kube/schema/resources';
import { isKubeError } from '@berth/kube/schema/status';
import type { ReadRouterMetrics } from './router-metrics.ts';

export interface NoticeDeps {
  client: Pick<KubeClient, 'list'>;
  /** The only namespaces that may be looked into; all when absent. */
  confinedTo?: readonly string[] | undefined;
  readRouterMetrics?: ReadRouterMetrics | undefined;
  timer: Clock;
}

const KNOWN_FOR_MS = 30_000;
const TIMEOUT_MS = 3_000;

/** Says in words what is not measured here. Asked at most twice a minute, whatever is looked at. */
export function createMeasuringNotice(deps: NoticeDeps): () => Promise<string | undefined> {
  let known: { words: Promise<string | undefined>; at: number } | undefined;
  return () => {
    const now = deps.timer.monotonic();
    if (!known || now - known.at > KNOWN_FOR_MS) known = { words: look(deps), at: now };
    return known.words;
  };
}

async function look({ client, readRouterMetrics, confinedTo }: NoticeDeps): Promise<string | undefined> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const [use, requests] = await Promise.all([
    listIn(client, POD_METRICS, { limit: 1, namespaces: confinedTo?.slice(0, 1), signal }).then(
      () => undefined,
      (error: unknown) =>
        isKubeError(error, 'NotFound') || isKubeError(error, 'ServiceUnavailable')
          ? 'This cluster does not measure CPU and memory: it has no metrics.k8s.io (metrics-server).'
          : 'The cluster does not answer, so CPU and memory are not measured now.',
    ),
    readRouterMetrics?.(signal).then(
      () => undefined,
      () => 'The router does not answer, so requests are not counted now.',
    ) ??
      'Requests are not counted: Berth is not told where the router or ingress controller counts them (BERTH_ROUTER_METRICS_URL).',
  ]);
  return [use, requests].filter((words) => words !== undefined).join(' ') || undefined;
}
