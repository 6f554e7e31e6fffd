import type { Deployment } from '../kinds.ts';

/** Every pod that is wanted is there, from the current template, ready; and none of an older template is left. */
export function isSettled(deployment: Deployment): boolean {
  const { metadata, spec, status } = deployment;
  const wanted = spec.replicas ?? 1;
  return (
    (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0) &&
    (status?.replicas ?? 0) === wanted &&
    (status?.updatedReplicas ?? 0) === wanted &&
    (status?.readyReplicas ?? 0) === wanted
  );
}

/** Good enough for those who depend on it: an update that rolls keeps serving. */
export function serves(deployment: Deployment | undefined): boolean {
  return (deployment?.status?.readyReplicas ?? 0) > 0;
}
