import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import {
  type ClusterHost,
  type ClusterHosts,
  findLoopback,
  findService,
  findServiceByAddress,
} from './cluster-names.ts';
import { openHostsFile } from './hosts-file.ts';
import type { RuntimeSettings } from './settings.ts';

/**
 * Teaches this process the cluster's names. `dns.lookup` answers for Services and public hosts of this machine, and a connection to a Service port that the
 * node had to move (a privileged port without root, a machine with a single loopback address) goes where it really listens.
 * Does nothing in a container, where the cluster's DNS and network do this.
 */
export function joinClusterNetwork(settings: RuntimeSettings): void {
  if (!settings.hostsFile) return;
  const hosts = openHostsFile(settings.hostsFile);
  hookLookup(hosts, settings.namespace);
  hookConnect(hosts, settings.namespace);
  syncBuiltinESMExports();
}

type LookupCallback = (
  error: NodeJS.ErrnoException | null,
  address: string | dns.LookupAddress[],
  family?: number,
) => void;

function hookLookup(hosts: () => ClusterHosts, namespace: string): void {
  const original = dns.lookup as (...parameters: unknown[]) => void;
  const lookup = (hostname: string, ...rest: unknown[]): void => {
    const found = findService(hosts(), hostname, namespace) ?? findLoopback(hostname);
    const callback = rest.at(-1);
    const options = rest.length > 1 ? rest[0] : undefined;
    if (!found || typeof callback !== 'function') {
      original(hostname, ...rest);
      return;
    }
    const all = typeof options === 'object' && options !== null && (options as dns.LookupOptions).all === true;
    process.nextTick(answer, hostname, { addresses: found.addresses, all, callback: callback as LookupCallback });
  };
  dns.lookup = lookup as typeof dns.lookup;
}

function answer(hostname: string, to: { addresses: string[]; all: boolean; callback: LookupCallback }): void {
  const [first] = to.addresses;
  if (first === undefined) {
    const error: NodeJS.ErrnoException = new Error(`getaddrinfo ENOTFOUND ${hostname}: no pod of the service is ready`);
    error.code = 'ENOTFOUND';
    to.callback(error, '', 4);
  } else if (to.all) {
    to.callback(
      null,
      to.addresses.map((address) => ({ address, family: 4 })),
    );
  } else {
    to.callback(null, first, 4);
  }
}

/** `net` passes its own calls as one array of normalised arguments; callers pass `(port, host)` or `(options)`. */
function hookConnect(hosts: () => ClusterHosts, namespace: string): void {
  const original = net.Socket.prototype.connect as (...parameters: unknown[]) => net.Socket;
  const connect = function (this: net.Socket, ...parameters: unknown[]): net.Socket {
    const [first, second, ...rest] = parameters;
    if (typeof second === 'string' && (typeof first === 'number' || typeof first === 'string')) {
      const to = moved(hosts(), namespace, { host: second, port: first });
      return original.call(this, to.port, to.host, ...rest);
    }
    const options = (Array.isArray(first) ? first[0] : first) as { host?: string; port?: number | string } | undefined;
    if (options && typeof options === 'object' && options.host && options.port !== undefined) {
      Object.assign(options, moved(hosts(), namespace, { host: options.host, port: options.port }));
    }
    return original.apply(this, parameters);
  };
  net.Socket.prototype.connect = connect as typeof net.Socket.prototype.connect;
}

interface Destination {
  host: string;
  port: number | string;
}

function moved(hosts: ClusterHosts, namespace: string, to: Destination): Destination {
  const service: ClusterHost | undefined =
    net.isIP(to.host) === 0 ? findService(hosts, to.host, namespace) : findServiceByAddress(hosts, to.host);
  const port = service?.ports?.[String(to.port)];
  return port === undefined ? to : { host: service?.via ?? to.host, port };
}
