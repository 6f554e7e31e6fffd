import { controllerReference } from '../../../client/owner.ts';
import type { Deployment, PodTemplate, ReplicaSet } from '../../../schema/kinds/workload.ts';
import { stableHash, stableJson } from '../stable-hash.ts';

export const HASH_LABEL = 'pod-template-hash';
export const REVISION = 'deployment.kubernetes.io/revision';

/** The set that already has the Deployment's template; of several, the oldest. */
export function findCurrentSet(deployment: Deployment, sets: ReplicaSet[]): ReplicaSet | undefined {
  const wanted = comparable(deployment.spec.template);
  return oldestFirst(sets).find((set) => comparable(set.spec.template) === wanted);
}

export function oldestFirst(sets: ReplicaSet[]): ReplicaSet[] {
  return [...sets].sort(
    (a, b) =>
      (a.metadata.creationTimestamp ?? '').localeCompare(b.metadata.creationTimestamp ?? '') ||
      a.metadata.name.localeCompare(b.metadata.name),
  );
}

function comparable(template: PodTemplate): string {
  const { [HASH_LABEL]: _hash, ...labels } = template.metadata?.labels ?? {};
  return stableJson({ labels, annotations: template.metadata?.annotations ?? {}, spec: template.spec });
}

export function revisionOf(object: { metadata: { annotations?: Record<string, string> } }): number {
  return Number(object.metadata.annotations?.[REVISION] ?? 0) || 0;
}

/** The set for the Deployment's template as it is now. Its name follows from the template, so it is never made twice. */
export function buildReplicaSet(deployment: Deployment, revision: number): ReplicaSet {
  const collision = deployment.status?.collisionCount;
  const hash = stableHash([deployment.spec.template, ...(collision ? [collision] : [])]);
  const { template, selector } = deployment.spec;
  const labels = { ...template.metadata?.labels, [HASH_LABEL]: hash };
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: `${deployment.metadata.name}-${hash}`,
      ...(deployment.metadata.namespace ? { namespace: deployment.metadata.namespace } : {}),
      labels,
      annotations: setAnnotations(deployment, revision),
      ownerReferences: [controllerReference(deployment)],
    },
    spec: {
      replicas: 0,
      ...(deployment.spec.minReadySeconds ? { minReadySeconds: deployment.spec.minReadySeconds } : {}),
      selector: { ...selector, matchLabels: { ...selector.matchLabels, [HASH_LABEL]: hash } },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  };
}

/** `kubectl apply` keeps the whole object in an annotation: copying it to every revision would only be weight. */
export function setAnnotations(deployment: Deployment, revision: number): Record<string, string> {
  const { 'kubectl.kubernetes.io/last-applied-configuration': _applied, ...rest } =
    deployment.metadata.annotations ?? {};
  return { ...rest, [REVISION]: String(revision) };
}
