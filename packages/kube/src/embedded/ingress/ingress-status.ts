import type { Registry } from 'prom-client';
import type { KubeClient } from '../../client/client.ts';
import { type Controller, createController } from '../../client/controller.ts';
import type { Logger } from '../../client/logger.ts';
import type { Reflector } from '../../client/reflector.ts';
import { objectKey } from '../../schema/object.ts';
import { INGRESS } from '../../schema/resources.ts';
import { isKubeError } from '../../schema/status.ts';
import type { Ingress, IngressClass } from './ingress-objects.ts';

/** Writes where our Ingresses are reached to their status, unless something stands there. */
export function createIngressStatus(options: {
  client: KubeClient;
  ingresses: Reflector<Ingress>;
  classes: Reflector<IngressClass>;
  isOurs: (ingress: Ingress) => boolean;
  hostname: string;
  logger: Logger;
  metrics: Registry;
}): Controller {
  const { client, ingresses, classes, isOurs, hostname, logger, metrics } = options;
  async function reconcile(key: string): Promise<void> {
    const ingress = ingresses.get(key);
    if (!ingress || ingress.metadata.deletionTimestamp || !isOurs(ingress)) return;
    if ((ingress.status?.loadBalancer?.ingress ?? []).length > 0) return;
    const { name, namespace, resourceVersion } = ingress.metadata;
    // The version makes the server refuse when it is another Ingress of that name by now.
    const body = { metadata: { resourceVersion }, status: { loadBalancer: { ingress: [{ hostname }] } } };
    const at = { name, ...(namespace && { namespace }) };
    try {
      await client.patch(INGRESS, at, { type: 'merge', body }, { subresource: 'status', fieldManager: 'router' });
    } catch (error) {
      if (!isKubeError(error, 'NotFound')) throw error;
    }
  }
  const controller = createController({ name: 'ingress-status', reconcile, logger, metrics });
  return controller
    .watches(ingresses, (ingress) => [objectKey(ingress)])
    .watches(classes, () => ingresses.list().map(objectKey));
}
