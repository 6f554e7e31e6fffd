import { FINALIZER, OPERATOR_MANAGER } from '@berth/core/user-deployment';
import type { KubeClient } from '@berth/kube/client/client';
import { isKubeError } from '@berth/kube/schema/status';
import { USER_DEPLOYMENT } from '../../kubernetes/resource-types.ts';
import type { UserDeployment } from '../../kubernetes/user-deployment.ts';
import type { Owner } from './desired/child.ts';

export function hasFinalizer({ metadata }: UserDeployment): boolean {
  return metadata.finalizers?.includes(FINALIZER) === true;
}

/** Before anything is made, so that nothing can be left behind. `current` is as fresh as its version says. */
export async function addFinalizer(client: Pick<KubeClient, 'patch'>, current: UserDeployment): Promise<void> {
  if (hasFinalizer(current)) return;
  await setFinalizers(client, current, [...(current.metadata.finalizers ?? []), FINALIZER]);
}

/** After everything is gone. A resource that is gone itself, or has been replaced, needs none of this. */
export async function removeFinalizer(client: Pick<KubeClient, 'get' | 'patch'>, owner: Owner): Promise<void> {
  const { name, namespace, uid } = owner;
  try {
    const current = await client.get<UserDeployment>(USER_DEPLOYMENT, { name, namespace });
    if (current.metadata.uid !== uid || !hasFinalizer(current)) return;
    const others = (current.metadata.finalizers ?? []).filter((each) => each !== FINALIZER);
    await setFinalizers(client, current, others);
  } catch (error) {
    if (!isKubeError(error, 'NotFound')) throw error;
  }
}

/** The version makes it a Conflict when anybody changed the resource meanwhile: a finalizer of theirs must not be lost. */
async function setFinalizers(
  client: Pick<KubeClient, 'patch'>,
  { metadata }: UserDeployment,
  finalizers: string[],
): Promise<void> {
  const { name, namespace = '', resourceVersion } = metadata;
  const body = { metadata: { resourceVersion, finalizers } };
  await client.patch(USER_DEPLOYMENT, { name, namespace }, { type: 'merge', body }, { fieldManager: OPERATOR_MANAGER });
}
