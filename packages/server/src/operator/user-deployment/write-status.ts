import { API_VERSION, OPERATOR_MANAGER } from '@berth/core/user-deployment';
import { pinnedTo } from '@berth/kube/client/apply';
import type { KubeClient } from '@berth/kube/client/client';
import type { KubeObject } from '@berth/kube/schema/object';
import { isKubeError } from '@berth/kube/schema/status';
import { USER_DEPLOYMENT } from '../../kubernetes/resource-types.ts';
import type { UserDeployment } from '../../kubernetes/user-deployment.ts';
import { isWritten, type OwnStatus } from './status.ts';
import { type Happening, happenings } from './transitions.ts';

export interface StatusDependencies {
  client: Pick<KubeClient, 'apply'>;
  record: (userDeployment: UserDeployment, happening: Happening) => void;
  signal: AbortSignal;
}

/**
 * One write, only when something of ours differs, and only over the resource as it was looked at: a status of an earlier look never
 * covers a newer one. Conditions are merged by type, so the server's stay as they are.
 */
export async function writeStatus(
  userDeployment: UserDeployment,
  status: OwnStatus,
  { client, record, signal }: StatusDependencies,
): Promise<void> {
  if (isWritten(userDeployment.status, status)) return;
  const { name, namespace = '' } = userDeployment.metadata;
  const plain: KubeObject = {
    apiVersion: API_VERSION,
    kind: USER_DEPLOYMENT.kind,
    metadata: { name, namespace },
    status,
  };
  const object = pinnedTo(plain, userDeployment);
  signal.throwIfAborted();
  try {
    const options = { subresource: 'status', fieldManager: OPERATOR_MANAGER, force: true, signal } as const;
    await client.apply(USER_DEPLOYMENT, object, options);
  } catch (error) {
    // Gone meanwhile: nobody is left to read it.
    if (isKubeError(error, 'NotFound')) return;
    throw error;
  }
  for (const happening of happenings(userDeployment.status, status)) record(userDeployment, happening);
}
