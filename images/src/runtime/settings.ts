/**
 * What a node without a container engine tells a program of ours through the image's environment. In a container none of
 * these is set: the program listens on every address, paths are themselves and names are resolved by the cluster's DNS.
 *
 *   LISTEN_ADDRESS      address to listen on
 *   LISTEN_PORTS        JSON, container port -> port to listen on instead
 *   CLUSTER_ROOT        folder under which the container's mounts lie
 *   CLUSTER_HOSTS_FILE  JSON file of Services, kept fresh by the node
 *   CLUSTER_NAMESPACE   namespace that short names are looked up in
 */
export interface RuntimeSettings {
  listenAddress: string;
  listenPorts: Record<string, number>;
  root: string;
  hostsFile: string | undefined;
  namespace: string;
}

export type Environment = Record<string, string | undefined>;

export function runtimeSettings(environment: Environment): RuntimeSettings {
  return {
    listenAddress: environment.LISTEN_ADDRESS || '0.0.0.0',
    listenPorts: parseListenPorts(environment.LISTEN_PORTS),
    root: environment.CLUSTER_ROOT ?? '',
    hostsFile: environment.CLUSTER_HOSTS_FILE || undefined,
    namespace: environment.CLUSTER_NAMESPACE || 'default',
  };
}

/** Where to listen for a port that the container declares. */
export function listenTarget(settings: RuntimeSettings, port: number): { host: string; port: number } {
  return { host: settings.listenAddress, port: settings.listenPorts[String(port)] ?? port };
}

/** The real place of an absolute path in the container. */
export function rootedPath(settings: RuntimeSettings, path: string): string {
  return `${settings.root}${path}`;
}

/**
 * A port from the environment; a wrong one stops the program. `tcp://...` is no setting but the variable that Kubernetes makes
 * for a Service whose name happens to begin ours (`database` gives DATABASE_PORT), so it is passed over.
 */
export function parsePort(name: string, text: string | undefined, fallback: number): number {
  if (text === undefined || text === '' || text.startsWith('tcp://')) return fallback;
  const port = Number(text);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    throw new Error(`${name} must be a port between 1 and 65535, not "${text}"`);
  }
  return port;
}

/** What a program cannot do without; an empty one would protect nothing. */
export function requireValue(name: string, text: string | undefined): string {
  if (text === undefined || text === '') throw new Error(`${name} must be set`);
  return text;
}

/** One of some words; the first when there is none. */
export function parseChoice<T extends string>(
  name: string,
  text: string | undefined,
  choices: readonly [T, ...T[]],
): T {
  if (text === undefined || text === '') return choices[0];
  const found = choices.find((choice) => choice === text);
  if (!found) throw new Error(`${name} must be one of ${choices.join(', ')}, not "${text}"`);
  return found;
}

/** A number of things to show. */
export function parseCount(name: string, text: string | undefined, fallback: number): number {
  if (text === undefined || text === '') return fallback;
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1 || count > 1000) {
    throw new Error(`${name} must be a whole number between 1 and 1000, not "${text}"`);
  }
  return count;
}

function parseListenPorts(text: string | undefined): Record<string, number> {
  if (!text) return {};
  const parsed: unknown = JSON.parse(text);
  if (typeof parsed !== 'object' || parsed === null) throw new Error('LISTEN_PORTS must be a JSON object of ports');
  return parsed as Record<string, number>;
}
