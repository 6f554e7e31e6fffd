import { join } from 'node:path';

/** What one cluster is: where its files are and which addresses it has. Everything else follows from these. */
export interface Cluster {
  dir: string;
  /** False for a control plane alone, which runs as plain processes of this machine. */
  node: boolean;
  /** Of the apiserver; without a node the four ports after it are taken too. */
  port: number;
  /** First two numbers of all addresses of a cluster with a node, such as `10.201`. */
  network: string;
  apiserverFlags: string[];
}

export const NODE_NAME = 'node1';
export const CLUSTER_DOMAIN = 'cluster.local';

export interface Addresses {
  /** All of it: what the machine sends to the node. */
  everything: string;
  node: string;
  host: string;
  services: string;
  kubernetes: string;
  dns: string;
  pods: string;
  podsOfNode: string;
}

export function addressesOf({ network }: Pick<Cluster, 'network'>): Addresses {
  return {
    everything: `${network}.0.0/16`,
    node: `${network}.0.1`,
    host: `${network}.0.2`,
    services: `${network}.64.0/18`,
    kubernetes: `${network}.64.1`,
    dns: `${network}.64.10`,
    pods: `${network}.128.0/17`,
    podsOfNode: `${network}.128.0/24`,
  };
}

/** Where the apiserver is reached, from this machine and from the node alike. */
export function apiserverAddress(cluster: Cluster): string {
  return `https://${listenAddress(cluster)}:${cluster.port}`;
}

export function listenAddress(cluster: Cluster): string {
  return cluster.node ? addressesOf(cluster).node : '127.0.0.1';
}

export function kubeconfigPath(cluster: Pick<Cluster, 'dir'>, user = 'admin'): string {
  return join(cluster.dir, user === 'admin' ? 'kubeconfig' : `kubeconfigs/${user}`);
}

export function logPath(cluster: Pick<Cluster, 'dir'>, name: string): string {
  return join(cluster.dir, 'log', name);
}

export function certificatePaths(cluster: Pick<Cluster, 'dir'>, name: string): { certificate: string; key: string } {
  return { certificate: join(cluster.dir, 'pki', `${name}.crt`), key: join(cluster.dir, 'pki', `${name}.key`) };
}
