import type { KubeObject } from '../object.ts';

/** A pod as this package's node and controllers read it: the fields they use, with their Kubernetes meaning. */
export interface Pod extends KubeObject {
  spec: PodSpec;
  status?: PodStatus;
}

export interface PodSpec {
  nodeName?: string;
  hostname?: string;
  restartPolicy?: 'Always' | 'OnFailure' | 'Never';
  terminationGracePeriodSeconds?: number;
  enableServiceLinks?: boolean;
  serviceAccountName?: string;
  nodeSelector?: Record<string, string>;
  schedulerName?: string;
  initContainers?: Container[];
  containers: Container[];
  volumes?: Volume[];
  [field: string]: unknown;
}

export interface Container {
  name: string;
  image: string;
  command?: string[];
  args?: string[];
  workingDir?: string;
  env?: EnvironmentVariable[];
  envFrom?: EnvironmentSource[];
  ports?: ContainerPort[];
  resources?: { requests?: Record<string, string>; limits?: Record<string, string> };
  volumeMounts?: VolumeMount[];
  startupProbe?: Probe;
  livenessProbe?: Probe;
  readinessProbe?: Probe;
  lifecycle?: { postStart?: Handler; preStop?: Handler };
  /** `Always` on an init container makes it a sidecar. */
  restartPolicy?: string;
  [field: string]: unknown;
}

export interface ContainerPort {
  name?: string;
  containerPort: number;
  protocol?: string;
  hostPort?: number;
}

export interface EnvironmentVariable {
  name: string;
  value?: string;
  valueFrom?: {
    configMapKeyRef?: KeyReference;
    secretKeyRef?: KeyReference;
    fieldRef?: { fieldPath: string };
    resourceFieldRef?: { containerName?: string; resource: string; divisor?: string };
  };
}

export interface KeyReference {
  name: string;
  key: string;
  optional?: boolean;
}

export interface EnvironmentSource {
  prefix?: string;
  configMapRef?: { name: string; optional?: boolean };
  secretRef?: { name: string; optional?: boolean };
}

export interface VolumeMount {
  name: string;
  mountPath: string;
  subPath?: string;
  subPathExpr?: string;
  readOnly?: boolean;
}

export interface KeyToPath {
  key: string;
  path: string;
  mode?: number;
}

export interface DownwardItem {
  path: string;
  fieldRef?: { fieldPath: string };
  resourceFieldRef?: { containerName?: string; resource: string; divisor?: string };
  mode?: number;
}

export interface Volume {
  name: string;
  configMap?: { name: string; items?: KeyToPath[]; defaultMode?: number; optional?: boolean };
  secret?: { secretName: string; items?: KeyToPath[]; defaultMode?: number; optional?: boolean };
  emptyDir?: Record<string, unknown>;
  downwardAPI?: { items?: DownwardItem[]; defaultMode?: number };
  persistentVolumeClaim?: { claimName: string; readOnly?: boolean };
  projected?: { sources?: ProjectedSource[]; defaultMode?: number };
  [source: string]: unknown;
}

export interface ProjectedSource {
  configMap?: { name: string; items?: KeyToPath[]; optional?: boolean };
  secret?: { name: string; items?: KeyToPath[]; optional?: boolean };
  downwardAPI?: { items?: DownwardItem[] };
  [source: string]: unknown;
}

export interface Handler {
  exec?: { command: string[] };
  httpGet?: HttpGet;
  tcpSocket?: { port: number | string; host?: string };
  sleep?: { seconds: number };
}

export interface HttpGet {
  path?: string;
  port: number | string;
  host?: string;
  scheme?: string;
  httpHeaders?: { name: string; value: string }[];
}

export interface Probe extends Handler {
  grpc?: { port: number; service?: string };
  initialDelaySeconds?: number;
  periodSeconds?: number;
  timeoutSeconds?: number;
  successThreshold?: number;
  failureThreshold?: number;
}

export interface PodStatus {
  phase?: PodPhase;
  conditions?: PodCondition[];
  message?: string;
  reason?: string;
  hostIP?: string;
  hostIPs?: { ip: string }[];
  podIP?: string;
  podIPs?: { ip: string }[];
  startTime?: string;
  qosClass?: string;
  initContainerStatuses?: ContainerStatus[];
  containerStatuses?: ContainerStatus[];
  [field: string]: unknown;
}

export type PodPhase = 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown';

export interface PodCondition {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  reason?: string;
  message?: string;
  lastProbeTime?: null;
  lastTransitionTime?: string;
  observedGeneration?: number;
}

export interface ContainerState {
  waiting?: { reason: string; message?: string };
  running?: { startedAt: string };
  terminated?: ContainerTermination;
}

export interface ContainerTermination {
  exitCode: number;
  signal?: number;
  reason: string;
  message?: string;
  startedAt?: string;
  finishedAt?: string;
  containerID?: string;
}

export interface ContainerStatus {
  name: string;
  state: ContainerState;
  lastState: ContainerState;
  ready: boolean;
  started?: boolean;
  restartCount: number;
  image: string;
  imageID: string;
  containerID?: string;
}

export function podCondition(pod: Pod, type: string): PodCondition | undefined {
  return pod.status?.conditions?.find((condition) => condition.type === type);
}

export function isPodReady(pod: Pod): boolean {
  return podCondition(pod, 'Ready')?.status === 'True';
}

/** A pod that will never run again. */
export function isPodFinished(pod: Pod): boolean {
  return pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';
}
