import { ANNOTATIONS, API_VERSION, LABELS, RECORD_FINALIZER, SERVER_MANAGER } from '@berth/core/user-deployment';
import type { UserDeployment } from '../kubernetes/user-deployment.ts';
import type { DeploymentRow } from './deployment-row.ts';

/** The resource that a row asks for. Its finalizer makes every deletion wait until the row knows of it. */
export function toResource(row: DeploymentRow, namespace: string): UserDeployment {
  return {
    apiVersion: API_VERSION,
    kind: 'UserDeployment',
    metadata: {
      name: row.name,
      namespace,
      labels: { [LABELS.team]: row.teamId, [LABELS.managedBy]: SERVER_MANAGER },
      annotations: { [ANNOTATIONS.revision]: String(row.revision), [ANNOTATIONS.deploymentId]: row.id },
      finalizers: [RECORD_FINALIZER],
    },
    spec: row.spec,
  };
}

/** The row's revision that a resource carries; 0 for one that the server has not written. */
export function revisionOf(resource: UserDeployment): number {
  const text = resource.metadata.annotations?.[ANNOTATIONS.revision] ?? '';
  return /^\d{1,9}$/.test(text) ? Number(text) : 0;
}
