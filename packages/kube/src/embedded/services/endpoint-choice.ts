import type { EndpointSlice, ServicePort } from '../../schema/kinds/service.ts';

export interface Target {
  host: string;
  port: number;
}

/** The endpoints that take new connections for a port of a Service. With none ready, those that still serve while they go. */
export function targetsFor(slices: EndpointSlice[], port: ServicePort): Target[] {
  const all = slices.flatMap((slice) => {
    const number = slice.ports?.find((one) => one.name === (port.name ?? ''))?.port;
    return number === undefined ? [] : (slice.endpoints ?? []).map((endpoint) => ({ endpoint, number }));
  });
  const ready = all.filter(({ endpoint }) => endpoint.conditions.ready);
  const serving = all.filter(({ endpoint }) => endpoint.conditions.serving && endpoint.conditions.terminating);
  const chosen = ready.length > 0 ? ready : serving;
  return chosen.flatMap(({ endpoint, number }) => endpoint.addresses.map((host) => ({ host, port: number })));
}

/** The list begun at another place each time: the first is tried, the rest are for when it refuses. */
export function rotate<T>(items: T[], turn: number): T[] {
  if (items.length === 0) return items;
  const start = turn % items.length;
  return [...items.slice(start), ...items.slice(0, start)];
}
