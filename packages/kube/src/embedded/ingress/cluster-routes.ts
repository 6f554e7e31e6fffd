import type { Registry } from 'prom-client';
import type { KubeClient } from '../../client/client.ts';
import type { Clock } from '../../client/clock.ts';
import type { Logger } from '../../client/logger.ts';
import { createReflector, type Reflector, withoutManagedFields } from '../../client/reflector.ts';
import { ENDPOINT_SLICE, INGRESS, INGRESS_CLASS, SERVICE } from '../../schema/resources.ts';
import { type Endpoint, type EndpointPicker, endpointsOf, readyEndpoints, SERVICE_NAME_LABEL } from './endpoints.ts';
import { type EndpointSlice, type Ingress, type IngressClass, isOurs, type Service } from './ingress-objects.ts';
import { createIngressStatus } from './ingress-status.ts';
import { type Backend, buildRouteTable, type Route, type RouteTable } from './route-table.ts';

/** What the cluster says of hosts and pods, always the newest state known. */
export interface ClusterRoutes {
  match(host: string, path: string): Route | undefined;
  endpoints(backend: Backend): Endpoint[];
  /** Begins with another endpoint each time. */
  picker(backend: Backend): EndpointPicker;
  hasSynced(): boolean;
  ready: Promise<void>;
  start(): void;
  stop(): Promise<void>;
}

export interface ClusterRoutesOptions {
  client: KubeClient;
  ingressClassName: string;
  hostname?: string;
  logger: Logger;
  clock: Clock;
  metrics: Registry;
  /** Pods that take new requests now, and that do no longer. */
  onEndpoints?: (change: { serving: Endpoint[]; left: Endpoint[] }) => void;
}

export function createCluster(options: ClusterRoutesOptions): ClusterRoutes {
  const { client, ingressClassName, hostname = 'localhost', logger, clock, metrics } = options;
  const make = { client, logger, clock, transform: withoutManagedFields };
  const ingresses = createReflector<Ingress>({ ...make, type: INGRESS });
  const classes = createReflector<IngressClass>({ ...make, type: INGRESS_CLASS });
  const services = createReflector<Service>({ ...make, type: SERVICE });
  const slices = createReflector<EndpointSlice>({
    ...make,
    type: ENDPOINT_SLICE,
    indexers: { service: serviceOf },
  });
  const all: Pick<Reflector, 'start' | 'stop' | 'synced' | 'hasSynced'>[] = [ingresses, classes, services, slices];
  const ours = (ingress: Ingress) => isOurs(ingress, ingressClassName, classes.list());
  const status = createIngressStatus({ client, ingresses, classes, isOurs: ours, hostname, logger, metrics });

  // Made when the next request needs it: a burst of changes costs one building.
  let table: RouteTable | undefined;
  const outdate = () => {
    table = undefined;
  };
  ingresses.onChange('route-table', outdate);
  classes.onChange('route-table', outdate);

  const turns = new Map<string, number>();
  services.onChange('round-robin', ({ type, object }) => {
    if (type === 'deleted') turns.delete(`${object.metadata.namespace}/${object.metadata.name}`);
  });

  slices.onChange('endpoints', (change) => {
    const serving = change.type === 'deleted' ? [] : readyEndpoints(change.object);
    const before =
      change.type === 'added' ? [] : readyEndpoints(change.type === 'updated' ? change.previous : change.object);
    const isServing = ({ host, port }: Endpoint) => serving.some((one) => one.host === host && one.port === port);
    options.onEndpoints?.({ serving, left: before.filter((endpoint) => !isServing(endpoint)) });
  });

  const endpoints = (backend: Backend) =>
    endpointsOf(backend, services.get(backend.service), slices.byIndex('service', backend.service));

  const ready = Promise.all(all.map((reflector) => reflector.synced)).then(() => undefined);
  // Nobody may be waiting for it when the router is closed early.
  ready.catch(() => undefined);

  return {
    match(host, path) {
      table ??= buildRouteTable(ingresses.list().filter(ours));
      return table.match(host, path);
    },
    endpoints,
    picker(backend) {
      const turn = turns.get(backend.service) ?? 0;
      turns.set(backend.service, turn + 1);
      return (tried) => {
        const all = endpoints(backend);
        return tried < all.length ? all[(turn + tried) % all.length] : undefined;
      };
    },
    hasSynced: () => all.every((reflector) => reflector.hasSynced()),
    ready,
    start() {
      for (const reflector of all) reflector.start();
      status.start().catch((err: unknown) => logger.debug({ err }, 'router stopped before it was ready'));
    },
    async stop() {
      await status.stop();
      await Promise.all(all.map((reflector) => reflector.stop()));
    },
  };
}

function serviceOf({ metadata }: EndpointSlice): string[] {
  const name = metadata.labels?.[SERVICE_NAME_LABEL];
  return name === undefined ? [] : [`${metadata.namespace}/${name}`];
}
