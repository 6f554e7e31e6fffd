import { join } from 'node:path';
import { isLoopback, type UpOptions } from '../configuration/up-options.ts';
import type { DataPaths } from './data-paths.ts';
import type { KeyFiles } from './keys.ts';
import type { Ports } from './ports.ts';

/**
 * Which processes this Berth has, in the order of their start, and what each is told. All of it goes through the environment:
 * an argument shows in every list of processes. Keys are named by their file.
 */
export interface PlannedProcess {
  name: ProcessName;
  settings: Record<string, string>;
  stopWithinMs: number;
}

export type ProcessName = 'database' | 'cluster' | 'server' | 'operator' | 'router';

export interface PlanInput {
  options: UpOptions;
  paths: DataPaths;
  ports: Ports;
  keys: KeyFiles;
  /** Of the database `berth`, and of the one that the embedded cluster keeps its objects in. */
  databaseUrls: { berth: string; cluster: string };
  publicUrl: string;
}

export function planProcesses(input: PlanInput): PlannedProcess[] {
  const { options } = input;
  const embedded = options.kubeconfigFile === undefined;
  return [
    ...(options.databaseUrl === undefined ? [database(input)] : []),
    ...(embedded ? [cluster(input)] : []),
    server(input, embedded),
    operator(input, embedded),
    ...(embedded ? [router(input)] : []),
  ];
}

/** Of the embedded cluster's own router. */
const INGRESS_CLASS = 'berth';

function kubeconfigOf({ options, paths }: PlanInput): string {
  return options.kubeconfigFile ?? paths.kubeconfig;
}

/** Stops last, and waits for whoever still writes. */
function database({ paths }: PlanInput): PlannedProcess {
  return {
    name: 'database',
    settings: { BERTH_DATA_DIRECTORY: paths.root, BERTH_LOG_FILE: join(paths.logs, 'postgres.log') },
    stopWithinMs: 45_000,
  };
}

function cluster({ paths, ports, keys, databaseUrls }: PlanInput): PlannedProcess {
  return {
    name: 'cluster',
    settings: {
      DATABASE_URL: databaseUrls.cluster,
      KUBECONFIG: paths.kubeconfig,
      BERTH_DATA_DIRECTORY: paths.root,
      BERTH_CLUSTER_PORT: String(ports.cluster),
      BERTH_CLUSTER_KEY_FILE: keys.clusterKey,
      BERTH_INGRESS_CLASS: INGRESS_CLASS,
    },
    stopWithinMs: 60_000,
  };
}

/** With no router in front the server itself opens the public port. */
function server(input: PlanInput, embedded: boolean): PlannedProcess {
  const { options, paths, ports, keys, databaseUrls, publicUrl } = input;
  return {
    name: 'server',
    settings: {
      DATABASE_URL: databaseUrls.berth,
      KUBECONFIG: kubeconfigOf(input),
      BERTH_BIND: embedded ? '127.0.0.1' : options.bind,
      BERTH_PORT: String(embedded ? ports.server : ports.public),
      BERTH_PUBLIC_URL: publicUrl,
      BERTH_PUBLIC_PORT: String(ports.public),
      BERTH_DOMAIN: options.domain,
      BERTH_DEVELOPMENT_SIGN_IN: String(isLoopback(options.bind)),
      BERTH_BEHIND_ROUTER: String(embedded),
      BERTH_PLAN: options.plan,
      BERTH_MASTER_KEY_FILE: keys.masterKey,
      BERTH_DATA_DIRECTORY: paths.root,
      BERTH_INTERNAL_PORT: String(ports.internal),
      BERTH_INTERNAL_AUTHORITY_FILE: keys.authority,
      BERTH_INTERNAL_CERTIFICATE_FILE: keys.internalCertificate,
      BERTH_INTERNAL_KEY_FILE: keys.internalKey,
      ...(embedded && { BERTH_ROUTER_METRICS_URL: `http://127.0.0.1:${ports.routerMetrics}/metrics` }),
    },
    stopWithinMs: 20_000,
  };
}

/** The embedded cluster has one operator; on a shared one another Berth's may be running. */
function operator(input: PlanInput, embedded: boolean): PlannedProcess {
  return {
    name: 'operator',
    settings: {
      KUBECONFIG: kubeconfigOf(input),
      BERTH_PUBLIC_URL: input.publicUrl,
      BERTH_PUBLIC_PORT: String(input.ports.public),
      BERTH_METRICS_PORT: String(input.ports.operatorMetrics),
      ...(embedded ? { BERTH_INGRESS_CLASS: INGRESS_CLASS } : { BERTH_LEASE_NAMESPACE: 'default' }),
    },
    stopWithinMs: 10_000,
  };
}

function router({ options, paths, ports, publicUrl }: PlanInput): PlannedProcess {
  return {
    name: 'router',
    settings: {
      KUBECONFIG: paths.kubeconfig,
      BERTH_BIND: options.bind,
      BERTH_PORT: String(ports.public),
      BERTH_PUBLIC_URL: publicUrl,
      BERTH_SERVER_URL: `http://127.0.0.1:${ports.server}`,
      BERTH_DOMAIN: options.domain,
      BERTH_INGRESS_CLASS: INGRESS_CLASS,
      BERTH_METRICS_PORT: String(ports.routerMetrics),
    },
    stopWithinMs: 10_000,
  };
}
