/** The node's hosts file: every Service, by `namespace/name`. */
export interface ClusterHosts {
  services: Record<string, ClusterHost>;
}

export interface ClusterHost {
  /** The ClusterIP, or for a headless Service the addresses of its ready pods. */
  addresses: string[];
  /** Service port -> port that really listens, only where the two differ. */
  ports?: Record<string, number>;
  /** Where those ports listen, when not at the Service's own address. */
  via?: string;
}

/** Names a Service is known by inside the cluster; undefined for a name that is none of the cluster's. */
export function findService(hosts: ClusterHosts, name: string, namespace: string): ClusterHost | undefined {
  const labels = name.toLowerCase().replace(/\.$/, '').split('.');
  const [service, inNamespace, ...rest] = labels;
  if (!service || !CLUSTER_SUFFIXES.includes(rest.join('.'))) return undefined;
  return hosts.services[`${inNamespace ?? namespace}/${service}`];
}

/**
 * Names below `localhost` mean this machine (RFC 6761), and the addresses of apps are such names; few resolvers know it. So one app
 * reaches another by the address that people see.
 */
export function findLoopback(name: string): ClusterHost | undefined {
  return /.\.localhost\.?$/i.test(name) ? { addresses: ['127.0.0.1'] } : undefined;
}

/** The host that an address belongs to: service variables carry a ClusterIP, not a name. */
export function findServiceByAddress(hosts: ClusterHosts, address: string): ClusterHost | undefined {
  return Object.values(hosts.services).find((host) => host.addresses.includes(address));
}

const CLUSTER_SUFFIXES = ['', 'svc', 'svc.cluster.local'];
