import { isPodFinished, type Pod } from '../../../schema/kinds/pod.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../../../schema/kinds/storage.ts';
import { isQuantity } from '../../../schema/quantity.ts';

export const CLAIM_PROTECTION = 'kubernetes.io/pvc-protection';
export const VOLUME_PROTECTION = 'kubernetes.io/pv-protection';
export const PROVISIONER = 'node.embedded/local-directory';

/** Why a claim cannot have a volume of the local class, or undefined. */
export function claimProblem(claim: PersistentVolumeClaim): string | undefined {
  const modes = claim.spec.accessModes ?? [];
  const refused = modes.filter((mode) => mode !== 'ReadWriteOnce' && mode !== 'ReadWriteOncePod');
  if (refused.length > 0) {
    return `access mode ${refused.join(', ')} needs shared storage, which this cluster has not; use ReadWriteOnce`;
  }
  if (claim.spec.volumeMode === 'Block') return 'volumeMode Block is not supported here; use Filesystem';
  const size = claim.spec.resources?.requests?.storage;
  if (!isQuantity(size)) return 'spec.resources.requests.storage must be a size such as 1Gi';
  return undefined;
}

/** Pods that still need the claim: all that name it and are not finished, those that are stopping too. */
export function usersOf(claim: PersistentVolumeClaim, pods: Pod[]): Pod[] {
  return pods.filter(
    (pod) =>
      !isPodFinished(pod) &&
      (pod.spec.volumes ?? []).some((volume) => volume.persistentVolumeClaim?.claimName === claim.metadata.name),
  );
}

/** One name a claim, so that a repeated provision finds the first. */
export function volumeName(claim: PersistentVolumeClaim): string {
  return `pvc-${claim.metadata.uid}`;
}

export function isBoundTo(volume: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  const reference = volume.spec.claimRef;
  return (
    reference?.namespace === claim.metadata.namespace &&
    reference?.name === claim.metadata.name &&
    (reference.uid === undefined || reference.uid === claim.metadata.uid)
  );
}

export type VolumePhase = 'Available' | 'Bound' | 'Released';

export function volumePhase(volume: PersistentVolume, claim: PersistentVolumeClaim | undefined): VolumePhase {
  const reference = volume.spec.claimRef;
  if (!reference) return 'Available';
  if (!reference.uid) return claim?.spec.volumeName === volume.metadata.name ? 'Bound' : 'Available';
  return claim?.metadata.uid === reference.uid ? 'Bound' : 'Released';
}
