import { SOCKET_CLOSE } from '@berth/core/shell';
import { KubeError } from '@berth/kube/schema/status';

/** Why a pod cannot be entered, for a client whose socket is open already. */
export function podFailure(error: unknown): { code: number; reason: string } {
  return { code: SOCKET_CLOSE.unavailable, reason: inWords(error) };
}

function inWords(error: unknown): string {
  if (!(error instanceof KubeError)) throw error;
  if (error.code === 404) return 'The pod is gone. Try again: another one may run already.';
  if (error.code === 401 || error.code === 403) {
    return 'The cluster does not let Berth do this. It needs the rights to create pods/exec and pods/portforward.';
  }
  return error.status.message ?? error.message;
}
