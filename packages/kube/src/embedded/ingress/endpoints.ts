import type { EndpointSlice, Service } from './ingress-objects.ts';
import type { Backend } from './route-table.ts';

export interface Endpoint {
  host: string;
  port: number;
}

/** The endpoint to try after `tried` others; undefined when all of this moment were. Looks anew each time: pods come and go. */
export type EndpointPicker = (tried: number) => Endpoint | undefined;

/** The label that says which service a slice belongs to. */
export const SERVICE_NAME_LABEL = 'kubernetes.io/service-name';

/**
 * Where the pods of a backend listen: the ready ones; when there is none, those that end but still serve, so that the moment
 * between the last old pod and the first new one fails nobody.
 */
export function endpointsOf(backend: Backend, service: Service | undefined, slices: EndpointSlice[]): Endpoint[] {
  const ports = service?.spec?.ports ?? [];
  const { name, number } = backend.port;
  const port = ports.find((one) => (name === undefined ? one.port === number : one.name === name));
  if (!port) return [];
  const ready: Endpoint[] = [];
  const ending: Endpoint[] = [];
  for (const slice of slices) {
    const target = slice.ports?.find((one) => (one.name ?? '') === (port.name ?? ''))?.port;
    if (target === undefined) continue;
    for (const { addresses, conditions } of slice.endpoints ?? []) {
      const host = addresses?.[0];
      if (host === undefined) continue;
      // An absent condition means ready.
      if (conditions?.ready !== false) ready.push({ host, port: target });
      else if (conditions.serving && conditions.terminating) ending.push({ host, port: target });
    }
  }
  return ready.length > 0 ? ready : ending;
}

/** Every address and port of a slice that takes new requests. */
export function readyEndpoints(slice: EndpointSlice): Endpoint[] {
  const hosts = (slice.endpoints ?? [])
    .filter(({ conditions }) => conditions?.ready !== false)
    .flatMap(({ addresses }) => addresses?.slice(0, 1) ?? []);
  const ports = (slice.ports ?? []).flatMap(({ port }) => (port === undefined ? [] : [port]));
  return hosts.flatMap((host) => ports.map((port) => ({ host, port })));
}
