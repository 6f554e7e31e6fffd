import type { KubeConfig } from '@berth/kube/client/client';
import { loadKubeConfig } from '@berth/kube/client/kubeconfig';
import { HopelessError } from '../processes/service.ts';

/** The cluster of a kubeconfig file. A file that cannot be used stays so: that is for a person to read. */
export async function loadCluster(kubeconfigFile: string | undefined): Promise<KubeConfig> {
  if (kubeconfigFile === undefined) throw new HopelessError('KUBECONFIG names no file, and there is no other cluster');
  try {
    return await loadKubeConfig({ path: kubeconfigFile });
  } catch (error) {
    throw new HopelessError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}
