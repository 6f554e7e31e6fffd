import { LABELS } from '@berth/core/user-deployment';
import type { KubeClient } from '@berth/kube/client/client';
import { listIn } from '@berth/kube/client/list-in';
import type { PodMetrics } from '@berth/kube/schema/kinds/metrics';
import { quantityNumber } from '@berth/kube/schema/quantity';
import { POD_METRICS } from '@berth/kube/schema/resources';

/** What all pods of one service use together. */
export interface ServiceUse {
  namespace: string;
  deployment: string;
  service: string;
  /** Cores. */
  cpu: number;
  /** Bytes. */
  memory: number;
}

/** What was measured longer ago is not what is used now. */
const STALE_MS = 90_000;

export async function listServiceUse(
  client: Pick<KubeClient, 'list'>,
  now: number,
  { signal, confinedTo }: { signal: AbortSignal; confinedTo?: readonly string[] | undefined },
): Promise<ServiceUse[]> {
  const selection = { labelSelector: LABELS.deployment, namespaces: confinedTo, signal };
  return sumByService(await listIn<PodMetrics>(client, POD_METRICS, selection), now);
}

export function sumByService(pods: readonly PodMetrics[], now: number): ServiceUse[] {
  const sums = new Map<string, ServiceUse>();
  for (const { metadata, timestamp, containers } of pods) {
    const deployment = metadata.labels?.[LABELS.deployment];
    const service = metadata.labels?.[LABELS.service];
    const namespace = metadata.namespace;
    if (deployment === undefined || service === undefined || namespace === undefined) continue;
    if (now - Date.parse(timestamp) > STALE_MS) continue;
    const key = `${namespace}/${deployment}/${service}`;
    const sum = sums.get(key) ?? { namespace, deployment, service, cpu: 0, memory: 0 };
    for (const { usage } of containers) {
      sum.cpu += quantityNumber(usage.cpu ?? '0');
      sum.memory += quantityNumber(usage.memory ?? '0');
    }
    sums.set(key, sum);
  }
  return [...sums.values()];
}
