import { OPERATOR_MANAGER, SERVER_MANAGER } from '@berth/core/user-deployment';
import type { KubeClient } from '@berth/kube/client/client';
import type { Clock } from '../clock.ts';
import type { Database } from '../db/database.ts';
import { USER_DEPLOYMENT } from '../kubernetes/resource-types.ts';
import type { UserDeployment } from '../kubernetes/user-deployment.ts';
import type { SecretStore } from '../secret/secret-store.ts';
import { findById, setResourceUid } from './deployment-repository.ts';
import type { DeploymentView } from './deployment-row.ts';
import { getOrUndefined, type NamespaceKeeper } from './ensure-namespace.ts';
import { ensureTeamNamespace } from './ensure-team-namespace.ts';
import { finishRemoval } from './finish-removal.ts';
import { revisionOf, toResource } from './to-resource.ts';

export interface ApplyDeps {
  database: Database;
  client: Pick<KubeClient, 'get' | 'apply' | 'replace' | 'delete'>;
  namespaces: NamespaceKeeper;
  secrets: SecretStore;
  clock: Clock;
}

/**
 * Brings one row to the cluster. It looks at the row and at the resource and does what is missing, so it may run at any time,
 * twice, and after a crash at any step.
 *
 *     row         resource                     then
 *     deleted     of this row                  delete it, by its UID; the observer ends the deletion
 *     deleted     none, or another's           end the deletion here
 *     wanted      older revision, or none      write it
 *     wanted      this revision or newer       nothing
 *     wanted      going                        nothing: the observer marks the row
 */
export async function applyDeployment(deps: ApplyDeps, deploymentId: string): Promise<void> {
  const row = await findById(deps.database, deploymentId);
  if (!row) return;
  const at = { name: row.name, namespace: row.namespace };
  const present = deps.namespaces.mayEnter(row.namespace)
    ? await getOrUndefined(() => deps.client.get<UserDeployment>(USER_DEPLOYMENT, at))
    : undefined;
  const ours = present && !isAnother(row, present);
  if (row.desired === 'deleted') {
    if (!ours) return finishRemoval(deps, row.id);
    await deps.client.delete(USER_DEPLOYMENT, at, { preconditions: uidOf(present), propagationPolicy: 'Background' });
    return;
  }
  if (present?.metadata.deletionTimestamp !== undefined) return;
  await ensureTeamNamespace(deps, row);
  if (present && revisionOf(present) >= row.revision) return;
  const written = await write(deps.client, toResource(row, row.namespace), present);
  if (written.metadata.uid === undefined || (await setResourceUid(deps.database, row.id, written.metadata.uid))) return;
  // This took longer than the claim, and somebody ended the row's deletion meanwhile: what was written now is nobody's.
  await deps.client.delete(USER_DEPLOYMENT, at, { preconditions: uidOf(written), propagationPolicy: 'Background' });
}

/** The row's resource was seen with another UID, so this one was made by somebody after it was gone. */
function isAnother(row: DeploymentView, present: UserDeployment): boolean {
  return row.resourceUid !== undefined && row.resourceUid !== present.metadata.uid;
}

function uidOf({ metadata }: UserDeployment): { uid?: string } {
  return metadata.uid === undefined ? {} : { uid: metadata.uid };
}

async function write(
  client: ApplyDeps['client'],
  wanted: UserDeployment,
  present: UserDeployment | undefined,
): Promise<UserDeployment> {
  if (!present || !isSharedSpec(present)) {
    return client.apply<UserDeployment>(USER_DEPLOYMENT, wanted, { fieldManager: SERVER_MANAGER, force: true });
  }
  // Fields that somebody added with kubectl stay theirs under server-side apply: a variable removed here would live on. So the
  // whole spec is replaced, on the condition that nobody wrote meanwhile.
  const { metadata } = present;
  const replacement: UserDeployment = {
    ...present,
    metadata: {
      ...metadata,
      labels: { ...metadata.labels, ...wanted.metadata.labels },
      annotations: { ...metadata.annotations, ...wanted.metadata.annotations },
      finalizers: [...new Set([...(metadata.finalizers ?? []), ...(wanted.metadata.finalizers ?? [])])],
    },
    spec: wanted.spec,
  };
  return client.replace<UserDeployment>(USER_DEPLOYMENT, replacement, { fieldManager: SERVER_MANAGER });
}

/** Somebody besides us owns fields of the spec. */
function isSharedSpec({ metadata }: UserDeployment): boolean {
  return (metadata.managedFields ?? []).some(
    ({ manager, subresource, fieldsV1 }) =>
      subresource === undefined &&
      manager !== SERVER_MANAGER &&
      manager !== OPERATOR_MANAGER &&
      'f:spec' in (fieldsV1 ?? {}),
  );
}
