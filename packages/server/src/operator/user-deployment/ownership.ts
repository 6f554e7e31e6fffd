import { GROUP } from '@berth/core/user-deployment';
import { controllerOf } from '@berth/kube/client/owner';
import type { KubeObject, OwnerReference } from '@berth/kube/schema/object';
import type { Owner } from './desired/child.ts';

/**
 * Whose object stands under a name that a deployment wants:
 *
 *     ours       its controller is this UserDeployment, by UID
 *     going      ours, or of an earlier UserDeployment of the same name, and about to be collected: wait
 *     foreign    anybody else's: never written to, never adopted, never deleted
 */
export type Standing = 'absent' | 'ours' | 'going' | 'foreign';

export function standingOf(object: KubeObject | undefined, owner: Owner): Standing {
  if (!object) return 'absent';
  const controller = controllerOf(object);
  if (controller?.uid === owner.uid) return object.metadata.deletionTimestamp === undefined ? 'ours' : 'going';
  const isEarlier = controller?.kind === 'UserDeployment' && isOurGroup(controller) && controller.name === owner.name;
  return isEarlier ? 'going' : 'foreign';
}

function isOurGroup(reference: OwnerReference): boolean {
  return reference.apiVersion.split('/')[0] === GROUP;
}
