import type { KubeClient } from '../../client/client.ts';
import type { KubeObject, ResourceType } from '../../schema/object.ts';
import { INGRESS_CLASS, NAMESPACE, STORAGE_CLASS } from '../../schema/resources.ts';
import { isKubeError } from '../../schema/status.ts';
import { PROVISIONER } from './volume/claim-rules.ts';

export interface BootstrapOptions {
  ingressClassName: string;
  ingressController: string;
}

/** What every cluster has from its first minute on. What somebody changed since is left as they have it. */
export async function bootstrap(client: KubeClient, options: BootstrapOptions): Promise<void> {
  for (const name of ['default', 'kube-system', 'kube-public', 'kube-node-lease']) {
    await ensure(client, NAMESPACE, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  }
  await ensure(client, STORAGE_CLASS, {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: 'local', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
    provisioner: PROVISIONER,
    reclaimPolicy: 'Delete',
    volumeBindingMode: 'Immediate',
  });
  await ensure(client, INGRESS_CLASS, {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'IngressClass',
    metadata: {
      name: options.ingressClassName,
      annotations: { 'ingressclass.kubernetes.io/is-default-class': 'true' },
    },
    spec: { controller: options.ingressController },
  });
}

async function ensure(client: KubeClient, type: ResourceType, object: KubeObject): Promise<void> {
  try {
    await client.create(type, object);
  } catch (error) {
    if (!isKubeError(error, 'AlreadyExists')) throw error;
  }
}
