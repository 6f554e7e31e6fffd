import type { KubeObject } from '@berth/kube/schema/object';

/** The rules of the small storage provisioner: what is asked for, and the volume that answers it. */
export const STORAGE_CLASS = 'standard';
export const PROVISIONER = 'berth.dev/test-volumes';
const PROVISIONED_BY = 'pv.kubernetes.io/provisioned-by';
const ASKED_OF = 'volume.kubernetes.io/storage-provisioner';
const CHOSEN_NODE = 'volume.kubernetes.io/selected-node';

export interface Claim extends KubeObject {
  spec: {
    accessModes: string[];
    storageClassName?: string;
    volumeName?: string;
    volumeMode?: string;
    resources: { requests: { storage: string } };
  };
  status?: { phase?: string; capacity?: { storage: string } };
}

export interface Volume extends KubeObject {
  spec: {
    capacity: { storage: string };
    accessModes?: string[];
    volumeMode?: string;
    storageClassName?: string;
    nodeAffinity?: object;
    claimRef?: { apiVersion: string; kind: string; namespace: string; name: string; uid: string };
    persistentVolumeReclaimPolicy?: string;
    local?: { path: string };
  };
  status?: { phase?: string };
}

/** The scheduler names the node once a pod wants the volume; not before then is it to be made. */
export function isToBeMade(claim: Claim): boolean {
  const annotations = claim.metadata.annotations ?? {};
  return (
    annotations[ASKED_OF] === PROVISIONER &&
    annotations[CHOSEN_NODE] !== undefined &&
    claim.spec.volumeName === undefined &&
    claim.metadata.deletionTimestamp === undefined
  );
}

export function volumeName(claim: Claim): string {
  return `pvc-${claim.metadata.uid}`;
}

export function volumeOf(claim: Claim, at: { node: string; path: string }): Volume {
  const { namespace = '', name, uid = '' } = claim.metadata;
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: volumeName(claim), annotations: { [PROVISIONED_BY]: PROVISIONER } },
    spec: {
      capacity: { storage: claim.spec.resources.requests.storage },
      accessModes: claim.spec.accessModes,
      volumeMode: claim.spec.volumeMode ?? 'Filesystem',
      storageClassName: claim.spec.storageClassName,
      persistentVolumeReclaimPolicy: 'Delete',
      claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name, uid },
      local: { path: at.path },
      nodeAffinity: {
        required: {
          nodeSelectorTerms: [
            { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: [at.node] }] },
          ],
        },
      },
    },
  };
}

export function isOurs(volume: Volume): boolean {
  return volume.metadata.annotations?.[PROVISIONED_BY] === PROVISIONER && volume.spec.local !== undefined;
}

export function isToBeRemoved(volume: Volume): boolean {
  const { persistentVolumeReclaimPolicy } = volume.spec;
  return isOurs(volume) && volume.status?.phase === 'Released' && persistentVolumeReclaimPolicy === 'Delete';
}

/** A bound claim that asks for another size than it has; Kubernetes itself refuses one that shrinks. */
export function isToGrow(claim: Claim): boolean {
  const has = claim.status?.capacity?.storage;
  return claim.status?.phase === 'Bound' && has !== undefined && has !== claim.spec.resources.requests.storage;
}
