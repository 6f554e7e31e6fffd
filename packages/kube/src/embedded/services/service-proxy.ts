import { createServer, type Server } from 'node:net';
import type { Clock } from '../../client/clock.ts';
import { type Controller, createController } from '../../client/controller.ts';
import type { Logger } from '../../client/logger.ts';
import {
  type EndpointSlice,
  isHeadless,
  SERVICE_NAME_LABEL,
  type Service,
  type ServicePort,
} from '../../schema/kinds/service.ts';
import { objectKey } from '../../schema/object.ts';
import { ENDPOINT_SLICE, SERVICE } from '../../schema/resources.ts';
import { BY_NAMESPACE, type Caches } from '../caches.ts';
import type { EventSink } from '../controllers/controller-context.ts';
import { targetsFor } from './endpoint-choice.ts';
import { forward } from './forward.ts';
import { type HostsEntry, writeHostsFile } from './hosts-file.ts';

export interface ServiceProxyOptions {
  caches: Caches;
  logger: Logger;
  clock: Clock;
  newId: () => string;
  events: EventSink;
  hostsFile: string;
  /** `shared`: this machine has one loopback address, so Services listen there, each port on a free one. */
  addressMode: 'per-pod' | 'shared';
}

/**
 * Listens on the address and ports of every Service and carries connections to its endpoints, as kube-proxy does in a real
 * cluster; and keeps the file that names are looked up in.
 */
export interface ServiceProxy {
  start(): Promise<void>;
  ready(): boolean;
  stop(): Promise<void>;
}

interface Listener {
  server: Server;
  address: string;
  port: number;
  /** Differs from `port` where that could not be had. */
  actual: number;
}

const SHARED_ADDRESS = '127.0.0.1';

export function createServiceProxy(options: ServiceProxyOptions): ServiceProxy {
  const services = options.caches.of<Service>(SERVICE);
  const slices = options.caches.of<EndpointSlice>(ENDPOINT_SLICE);
  /** By Service, then by Service port. */
  const listeners = new Map<string, Map<number, Listener>>();
  const hosts = new Map<string, HostsEntry>();

  function slicesOf(key: string): EndpointSlice[] {
    const [namespace = '', name] = key.split('/');
    return slices
      .byIndex(BY_NAMESPACE, namespace)
      .filter((slice) => slice.metadata.labels?.[SERVICE_NAME_LABEL] === name);
  }

  async function reconcile(key: string): Promise<void> {
    const service = services.get(key);
    if (service) sayWhatIsMissing(service);
    try {
      await listenFor(key, service);
    } finally {
      if (service) hosts.set(key, hostsEntry(service, key));
      else hosts.delete(key);
      writeHostsFile(options.hostsFile, hosts);
    }
  }

  /** Opens what is missing and closes what is no longer wanted: listeners only, connections that run are left to finish. */
  async function listenFor(key: string, service: Service | undefined): Promise<void> {
    const address = service && !isHeadless(service) ? service.spec.clusterIP : undefined;
    const ports = service && address ? tcpPorts(service) : [];
    const open = listeners.get(key) ?? new Map<number, Listener>();
    for (const [port, listener] of [...open]) {
      if (listener.address === address && ports.some((one) => one.port === port)) continue;
      listener.server.close();
      open.delete(port);
    }
    if (ports.length === 0) listeners.delete(key);
    else listeners.set(key, open);
    for (const port of ports)
      if (address && !open.has(port.port)) open.set(port.port, await listen(key, address, port));
  }

  function hostsEntry(service: Service, key: string): HostsEntry {
    if (isHeadless(service)) return headlessEntry(service, slicesOf(key), options.addressMode);
    const open = [...(listeners.get(key)?.values() ?? [])];
    const moved = open.filter(({ port, actual }) => port !== actual);
    return {
      addresses: service.spec.clusterIP ? [service.spec.clusterIP] : [],
      ...(moved.length > 0 ? { ports: Object.fromEntries(moved.map(({ port, actual }) => [port, actual])) } : {}),
      ...(options.addressMode === 'shared' ? { via: SHARED_ADDRESS } : {}),
    };
  }

  async function listen(key: string, address: string, port: ServicePort): Promise<Listener> {
    let turn = 0;
    const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (client) => {
      const service = services.get(key);
      const current = service && tcpPorts(service).find((one) => one.port === port.port);
      const targets = current ? targetsFor(slicesOf(key), current) : [];
      forward(client, targets, turn++).catch((err: unknown) =>
        options.logger.warn({ err, service: key }, 'forwarding failed'),
      );
    });
    const actual = await bind(server, address, port.port);
    options.logger.debug({ service: key, address, port: port.port, actual }, 'service listens');
    return { server, address, port: port.port, actual };
  }

  /** A port below 1024 needs a right that a plain user has not; any other port at the address will do, and names tell which. */
  async function bind(server: Server, address: string, port: number): Promise<number> {
    if (options.addressMode === 'shared') return listenOn(server, SHARED_ADDRESS, 0);
    try {
      return await listenOn(server, address, port);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EACCES') throw error;
      return listenOn(server, address, 0);
    }
  }

  function sayWhatIsMissing(service: Service): void {
    const { type = 'ClusterIP' } = service.spec;
    if (type === 'ClusterIP') return;
    const message = `type ${type} is not served by this cluster; the service is reachable inside it as ClusterIP. Use an Ingress to publish it`;
    options.events.record(service, { type: 'Warning', reason: 'UnsupportedServiceType', message });
  }

  const controller: Controller = createController({ ...options, name: 'serviceproxy', reconcile, concurrency: 4 })
    .watches(services, (service) => [objectKey(service)])
    .watches(slices, (slice) => {
      const name = slice.metadata.labels?.[SERVICE_NAME_LABEL];
      return name ? [`${slice.metadata.namespace}/${name}`] : [];
    });

  return {
    async start() {
      writeHostsFile(options.hostsFile, hosts);
      await controller.start();
    },
    ready: () => controller.ready(),
    async stop() {
      await controller.stop();
      for (const { server } of [...listeners.values()].flatMap((ports) => [...ports.values()])) server.close();
      listeners.clear();
    },
  };
}

function tcpPorts(service: Service): ServicePort[] {
  return (service.spec.ports ?? []).filter(({ protocol }) => (protocol ?? 'TCP') === 'TCP');
}

/** A headless name is the pods themselves; where they share an address, their ports tell them apart, so the first stands for all. */
function headlessEntry(service: Service, slices: EndpointSlice[], mode: 'per-pod' | 'shared'): HostsEntry {
  const targets = tcpPorts(service).map((port) => ({ port: port.port, targets: targetsFor(slices, port) }));
  const addresses = [...new Set(targets.flatMap((one) => one.targets.map(({ host }) => host)))];
  if (mode === 'per-pod') return { addresses };
  const ports = targets.flatMap(({ port, targets: [first] }) => (first ? [[port, first.port] as const] : []));
  return { addresses, ports: Object.fromEntries(ports), via: SHARED_ADDRESS };
}

function listenOn(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error): void => reject(error);
    server.once('error', fail);
    server.listen(port, host, () => {
      server.removeListener('error', fail);
      server.on('error', () => server.close());
      const address = server.address();
      resolve(typeof address === 'object' && address ? address.port : port);
    });
  });
}
