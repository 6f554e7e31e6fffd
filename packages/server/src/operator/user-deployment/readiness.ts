import type { Deployment } from '../kinds.ts';

/** Every pod that is wanted is there, from the current template, ready; and none of an older template is left. */
export function isSettled(deployment: Deployment): boolean {
  const { spec, status } = deployment;
  const wanted = spec.replicas ?? 1;
  return (
    isSeen(deployment) &&
    (status?.replicas ?? 0) === wanted &&
    (status?.updatedReplicas ?? 0) === wanted &&
    (status?.readyReplicas ?? 0) === wanted
  );
}

/** Settled, and for long enough to count: what is ready the moment it runs may end the next. */
export function isProven(deployment: Deployment): boolean {
  return isSettled(deployment) && (deployment.status?.availableReplicas ?? 0) === (deployment.spec.replicas ?? 1);
}

/** Good enough for what it is routed to: an update that rolls keeps serving. */
export function serves(deployment: Deployment | undefined): boolean {
  return (deployment?.status?.readyReplicas ?? 0) > 0;
}

/** Good enough for those who depend on it: it serves, and by pods of the current template alone. */
export function servesNew(deployment: Deployment): boolean {
  const { replicas = 0, updatedReplicas = 0 } = deployment.status ?? {};
  return isSeen(deployment) && serves(deployment) && updatedReplicas >= replicas;
}

function isSeen({ metadata, status }: Deployment): boolean {
  return (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0);
}
