import type { KubeObject } from '../object.ts';

/** What metrics-server tells of a pod: averages over `window`, which ended at `timestamp`. */
export interface PodMetrics extends KubeObject {
  timestamp: string;
  /** A Go duration: `15.023s`. */
  window: string;
  containers: ContainerMetrics[];
}

export interface ContainerMetrics {
  name: string;
  usage: ResourceUsage;
}

export interface NodeMetrics extends KubeObject {
  timestamp: string;
  window: string;
  usage: ResourceUsage;
}

/** Quantities: CPU in cores (`12345n`), memory in bytes (`2048Ki`). */
export interface ResourceUsage {
  cpu: string;
  memory: string;
}
