import { type Controller, createController } from '../../../client/controller.ts';
import type { KubeObject } from '../../../schema/object.ts';
import { NAMESPACE, SERVICE_ACCOUNT } from '../../../schema/resources.ts';
import { isKubeError } from '../../../schema/status.ts';
import type { ControllerContext } from '../controller-context.ts';

/** Every namespace has the account that a pod uses when it names none. */
export function createServiceAccountController(context: ControllerContext): Controller {
  const namespaces = context.caches.of(NAMESPACE);
  const accounts = context.caches.of(SERVICE_ACCOUNT);

  async function reconcile(namespace: string): Promise<void> {
    const object = namespaces.get(namespace);
    if (!object || object.metadata.deletionTimestamp || accounts.get(`${namespace}/default`)) return;
    const account: KubeObject = {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: 'default', namespace },
    };
    try {
      await context.client.create(SERVICE_ACCOUNT, account);
    } catch (error) {
      if (!isKubeError(error, 'AlreadyExists') && !isKubeError(error, 'NotFound')) throw error;
    }
  }

  return createController({ ...context, name: 'serviceaccount', reconcile })
    .watches(namespaces, ({ metadata }) => [metadata.name])
    .watches(
      accounts,
      ({ metadata }) => [metadata.namespace ?? ''],
      (change) => change.type === 'deleted',
    );
}
