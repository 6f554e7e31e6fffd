import { readFileSync } from 'node:fs';
import type { KubeObject } from '@berth/kube/schema/object';

/** A Berth that was installed with its chart into a real cluster, as whoever installed it wrote it down. */
export interface Installation {
  url: string;
  domain: string;
  kubeconfig: string;
  namespace: string;
  release: string;
  administrator: { email: string; password: string };
  /** Of the trial database, as its pod's own processes reach it. */
  database: { pod: string; port: number; user: string; password: string; name: string };
  metricsPort: number;
  /** Where the ingress controller listens, and the authority of its certificate (a file). */
  address: string;
  authority: string;
  /** This machine, as pods reach it. */
  machineAddress: string;
}

export function readInstallation(file: string): Installation {
  return JSON.parse(readFileSync(file, 'utf8')) as Installation;
}

export type Role = 'server' | 'operator';

/** Chosen by the labels that the chart gives its pods. */
export function roleSelector({ release }: Installation, role: Role): string {
  return `app.kubernetes.io/instance=${release},app.kubernetes.io/component=${role}`;
}

/** Containers that run, as the runtime knows them: `containerd://ID` without what comes before it. */
export function containerIds(pod: KubeObject): string[] {
  const { containerStatuses = [] } = (pod.status ?? {}) as { containerStatuses?: { containerID?: string }[] };
  return containerStatuses.flatMap(({ containerID }) => containerID?.split('//')[1] ?? []);
}
