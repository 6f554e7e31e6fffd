import type { KubeObject } from '../object.ts';

export interface PersistentVolumeClaim extends KubeObject {
  spec: {
    accessModes?: string[];
    resources?: { requests?: Record<string, string> };
    storageClassName?: string;
    volumeName?: string;
    volumeMode?: string;
  };
  status?: { phase?: string; accessModes?: string[]; capacity?: Record<string, string> };
}

export interface PersistentVolume extends KubeObject {
  spec: {
    accessModes?: string[];
    capacity?: Record<string, string>;
    storageClassName?: string;
    persistentVolumeReclaimPolicy?: string;
    claimRef?: { apiVersion?: string; kind?: string; name: string; namespace: string; uid?: string };
    hostPath?: { path: string; type?: string };
    volumeMode?: string;
  };
  status?: { phase?: string; message?: string; reason?: string };
}

export interface StorageClass extends KubeObject {
  provisioner: string;
  reclaimPolicy?: string;
  volumeBindingMode?: string;
}
