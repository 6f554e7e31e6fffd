import type { KubeObject } from '@berth/kube/schema/object';

/** Of whatever makes pods. */
export interface PodTemplate {
  metadata?: { annotations?: Record<string, string> };
  spec?: Pod['spec'];
}

/** The parts of built-in kinds that the operator reads. What it writes is in the builders under `desired/`. */
export interface Deployment extends KubeObject {
  spec: { replicas?: number; template?: PodTemplate };
  status?: {
    observedGeneration?: number;
    replicas?: number;
    updatedReplicas?: number;
    readyReplicas?: number;
    availableReplicas?: number;
    conditions?: StatusCondition[];
  };
}

export interface StatusCondition {
  type: string;
  status: string;
  reason?: string;
  message?: string;
  lastTransitionTime?: string;
}

export interface Pod extends KubeObject {
  spec?: {
    containers?: { name: string; image?: string }[];
    nodeName?: string;
    volumes?: { configMap?: { name?: string } }[];
  };
  status?: {
    startTime?: string;
    phase?: string;
    reason?: string;
    message?: string;
    conditions?: StatusCondition[];
    initContainerStatuses?: ContainerStatus[];
    containerStatuses?: ContainerStatus[];
  };
}

export interface ContainerStatus {
  name: string;
  image?: string;
  ready?: boolean;
  restartCount?: number;
  state?: ContainerState;
  lastState?: ContainerState;
}

export interface ContainerState {
  waiting?: { reason?: string; message?: string };
  running?: { startedAt?: string };
  terminated?: { exitCode?: number; signal?: number; reason?: string; message?: string; finishedAt?: string };
}

/** An event as the cache keeps it. */
export interface WarningEvent extends KubeObject {
  involvedObject?: { kind?: string; name?: string; namespace?: string; uid?: string };
  reason?: string;
  message?: string;
  lastTimestamp?: string;
}

export interface PersistentVolumeClaim extends KubeObject {
  spec: { resources?: { requests?: { storage?: string } }; storageClassName?: string };
  status?: { phase?: string };
}

/** A Secret as the cache keeps it: the key names with a hash of each value, never a value. */
export interface SecretFacts extends KubeObject {
  hashes: Record<string, string>;
}

export interface Secret extends KubeObject {
  type?: string;
  data?: Record<string, string>;
}
