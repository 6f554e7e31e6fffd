import { FINALIZER } from '@berth/core/user-deployment';
import type { KubeClient } from '@berth/kube/client/client';
import { removeFinalizer } from '@berth/kube/client/finalizers';
import { isKubeError } from '@berth/kube/schema/status';
import { USER_DEPLOYMENT } from '../../kubernetes/resource-types.ts';
import type { UserDeployment } from '../../kubernetes/user-deployment.ts';
import type { Owner } from './desired/child.ts';

/** After everything is gone. A resource that is gone itself, or has been replaced by a namesake, needs none of this. */
export async function letGo(
  client: Pick<KubeClient, 'get' | 'patch'>,
  owner: Owner,
  signal: AbortSignal,
): Promise<void> {
  const { name, namespace, uid } = owner;
  const current = await client.get<UserDeployment>(USER_DEPLOYMENT, { name, namespace }).catch((error: unknown) => {
    if (isKubeError(error, 'NotFound')) return undefined;
    throw error;
  });
  if (current?.metadata.uid !== uid) return;
  await removeFinalizer(client, USER_DEPLOYMENT, { object: current, finalizer: FINALIZER, signal });
}
