import { BerthError } from '@berth/core/errors';
import { LABELS } from '@berth/core/user-deployment';
import type { KubeClient } from '@berth/kube/client/client';
import { isPodReady, type Pod } from '@berth/kube/schema/kinds/pod';
import { POD } from '@berth/kube/schema/resources';
import type { DeploymentView } from '../deployment/deployment-row.ts';

export interface Target {
  namespace: string;
  pod: string;
  container: string;
}

export interface Wanted {
  service: string;
  pod?: string | undefined;
}

/** The pod of a service that somebody goes into: one that is ready before one that only runs, the newest first. */
export async function findPod(
  client: Pick<KubeClient, 'list'>,
  deployment: DeploymentView,
  wanted: Wanted,
): Promise<Target> {
  const { service } = wanted;
  requireService(deployment, service);
  const labelSelector = `${LABELS.deployment}=${deployment.name},${LABELS.service}=${service}`;
  const { items } = await client
    .list<Pod>(POD, { namespace: deployment.namespace, labelSelector })
    .catch((cause: unknown) => {
      throw new BerthError('unavailable', 'The cluster does not answer. Try again soon.', { cause });
    });
  const found = items.filter((pod) => wanted.pod === undefined || pod.metadata.name === wanted.pod);
  if (wanted.pod !== undefined && found.length === 0) {
    throw new BerthError('not_found', `The service "${service}" has no pod "${wanted.pod}"; leave it out to take any.`);
  }
  const [best] = found.filter((pod) => runs(pod, service)).sort(byUse);
  if (best) return { namespace: deployment.namespace, pod: best.metadata.name, container: service };
  throw new BerthError('unavailable', whyNone(deployment, wanted));
}

export function requireService(deployment: DeploymentView, name: string) {
  const service = deployment.spec.services.find((each) => each.name === name);
  if (service) return service;
  const names = deployment.spec.services.map((each) => each.name).join(', ');
  throw new BerthError('not_found', `The deployment has no service "${name}". It has ${names}.`);
}

function runs(pod: Pod, container: string): boolean {
  const status = pod.status?.containerStatuses?.find(({ name }) => name === container);
  return pod.status?.phase === 'Running' && status?.state?.running !== undefined;
}

/** A pod that is going away comes last: a shell in it would not last. */
function byUse(a: Pod, b: Pod): number {
  const rank = (pod: Pod) => (pod.metadata.deletionTimestamp ? 0 : 2) + (isPodReady(pod) ? 1 : 0);
  const born = (pod: Pod) => Date.parse(pod.metadata.creationTimestamp ?? '') || 0;
  return rank(b) - rank(a) || born(b) - born(a);
}

function whyNone(deployment: DeploymentView, { service, pod }: Wanted): string {
  if (deployment.desired === 'deleted') return `${deployment.name} is being deleted, so nothing of it can be entered.`;
  if (deployment.desired === 'stopped') return `${deployment.name} is stopped, so it has no pods. Start it first.`;
  if (pod !== undefined) return `The pod "${pod}" does not run at this moment. Try again soon.`;
  return `No pod of "${service}" runs at this moment. See the overview for what it waits for.`;
}
