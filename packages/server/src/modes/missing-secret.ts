import type { KubeClient } from '@berth/kube/client/client';
import { SECRET } from '@berth/kube/schema/resources';
import { isKubeError } from '@berth/kube/schema/status';

export interface NewSecret {
  name: string;
  values: Readonly<Record<string, string>>;
}

/** Of two who make it at once one does, whole. Resolves to whether it was made here. */
export async function makeMissingSecret(
  client: Pick<KubeClient, 'create'>,
  { name, namespace, values }: NewSecret & { namespace: string },
): Promise<boolean> {
  const labels = { 'app.kubernetes.io/part-of': 'berth', 'app.kubernetes.io/managed-by': 'berth-keys' };
  try {
    await client.create(SECRET, {
      metadata: { name, namespace, labels },
      type: 'Opaque',
      stringData: { ...values },
    } as never);
    return true;
  } catch (error) {
    if (isKubeError(error, 'AlreadyExists')) return false;
    throw error;
  }
}
