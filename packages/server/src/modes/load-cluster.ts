import type { KubeConfig } from '@berth/kube/client/client';
import { loadKubeConfig } from '@berth/kube/client/kubeconfig';
import { HopelessError } from '../processes/service.ts';

export interface ClusterAddress {
  kubeconfigFile: string | undefined;
  /** As Kubernetes tells them to every pod. */
  serviceHost: string | undefined;
  servicePort: number;
}

/**
 * The cluster of a kubeconfig file, or the one that this process runs in. What cannot be used stays so: that is for a person to
 * read.
 */
export async function loadCluster(address: ClusterAddress): Promise<KubeConfig> {
  const { kubeconfigFile, serviceHost, servicePort } = address;
  if (kubeconfigFile === undefined && serviceHost === undefined) {
    throw new HopelessError(
      'no cluster is known: set KUBECONFIG to a kubeconfig file, or run in a pod that has a service account',
    );
  }
  try {
    if (kubeconfigFile !== undefined) return await loadKubeConfig({ path: kubeconfigFile });
    return await loadKubeConfig({ inCluster: { host: serviceHost ?? '', port: String(servicePort) } });
  } catch (error) {
    throw new HopelessError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}
