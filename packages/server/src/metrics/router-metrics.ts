import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';

/** The counters of one router: Prometheus text. */
export interface RouterReading {
  /** Which of several routers, or anything that stays the same for the same one. */
  from: string;
  text: string;
}

/** Asks every router for its counters. */
export type ReadRouterMetrics = (signal: AbortSignal) => Promise<RouterReading[]>;

const TIMEOUT_MS = 3_000;

/**
 * A name that has several addresses, such as that of a headless Service, stands for several routers, and each is asked. Over TLS only the
 * name is asked, since a certificate is not for addresses.
 */
export function routerMetricsAt(url: string): ReadRouterMetrics {
  return async (signal) => {
    const within = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
    return Promise.all((await placesOf(url)).map((place) => read(place, within)));
  };
}

async function placesOf(url: string): Promise<string[]> {
  const { protocol, hostname } = new URL(url);
  if (protocol !== 'http:' || isIP(hostname.replace(/^\[|\]$/g, ''))) return [url];
  const found = await lookup(hostname, { all: true });
  // A name of both families is one router with two addresses.
  const family = found[0]?.family;
  return found.filter((each) => each.family === family).map(({ address }) => at(url, address));
}

function at(url: string, address: string): string {
  const place = new URL(url);
  place.hostname = address.includes(':') ? `[${address}]` : address;
  return place.href;
}

async function read(place: string, signal: AbortSignal): Promise<RouterReading> {
  const response = await fetch(place, { signal });
  if (!response.ok) throw new Error(`the router answered ${response.status} when asked for its metrics`);
  return { from: place, text: await response.text() };
}
