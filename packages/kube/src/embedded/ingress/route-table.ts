import { objectKey } from '../../schema/object.ts';
import type { Ingress, IngressBackend, IngressPath } from './ingress-objects.ts';

/**
 * Which service answers a host and a path. Made anew when an Ingress changes and never changed after, so a request sees one
 * state of it.
 *
 * Hosts: the exact host, else the wildcard whose one label it fills (`*.example.com`), else the rules without a host. Within
 * a host the longest path wins, at equal length an exact one. A prefix matches whole path elements: `/a` matches `/a` and
 * `/a/b`, not `/ab`. Of two Ingresses that ask for the same, the older keeps it.
 */
export interface RouteTable {
  match(host: string, path: string): Route | undefined;
  hasHost(host: string): boolean;
}

export interface Route {
  /** As the rule wrote it, `*.example.com` included: bounded, so fit for metrics. */
  host: string;
  backend: Backend;
}

export interface Backend {
  /** `namespace/name` of the service. */
  service: string;
  port: { name?: string; number?: number };
}

interface PathRule {
  path: string;
  exact: boolean;
  route: Route;
}

const ANY_HOST = '';

/** An Ingress object never changes, so what was read from it is kept as long as it is. */
const compiled = new WeakMap<Ingress, PathRule[]>();

export function buildRouteTable(ingresses: Ingress[]): RouteTable {
  const byHost = new Map<string, PathRule[]>();
  for (const ingress of [...ingresses].sort(byAge)) {
    for (const rule of rulesOf(ingress)) {
      const rules = byHost.get(rule.route.host);
      if (rules) rules.push(rule);
      else byHost.set(rule.route.host, [rule]);
    }
  }
  // The sort is stable: among equals the older Ingress stays in front.
  for (const rules of byHost.values()) rules.sort(byPrecedence);

  const rulesFor = (host: string) => byHost.get(host) ?? byHost.get(wildcardOf(host));
  return {
    hasHost: (host) => rulesFor(host) !== undefined,
    match(host, path) {
      const own = rulesFor(host)?.find((rule) => matches(rule, path));
      return (own ?? byHost.get(ANY_HOST)?.find((rule) => matches(rule, path)))?.route;
    },
  };
}

function rulesOf(ingress: Ingress): PathRule[] {
  const known = compiled.get(ingress);
  if (known) return known;
  const rules: PathRule[] = [];
  const hosts = new Set<string>();
  for (const rule of ingress.spec?.rules ?? []) {
    const host = normalizeHost(rule.host ?? ANY_HOST);
    hosts.add(host);
    for (const path of rule.http?.paths ?? []) addRule(rules, ingress, host, path);
  }
  // The default answers what no path does: on the hosts of the Ingress, or everywhere when it names none.
  const backend = ingress.spec?.defaultBackend;
  if (backend) {
    for (const host of hosts.size === 0 ? [ANY_HOST] : hosts) addRule(rules, ingress, host, { path: '', backend });
  }
  compiled.set(ingress, rules);
  return rules;
}

function addRule(rules: PathRule[], ingress: Ingress, host: string, path: IngressPath): void {
  const backend = readBackend(ingress, path.backend);
  if (!backend) return;
  const exact = path.pathType === 'Exact';
  const text = path.path ?? '/';
  // A prefix with a slash at its end means the same as one without.
  rules.push({ path: exact ? text : text.replace(/\/+$/, ''), exact, route: { host, backend } });
}

function readBackend(ingress: Ingress, backend: IngressBackend | undefined): Backend | undefined {
  const name = backend?.service?.name;
  const { namespace } = ingress.metadata;
  if (!name || !namespace) return undefined;
  return { service: objectKey({ metadata: { namespace, name } }), port: backend.service?.port ?? {} };
}

function matches(rule: PathRule, path: string): boolean {
  if (rule.exact) return path === rule.path;
  return path.startsWith(rule.path) && (path.length === rule.path.length || path[rule.path.length] === '/');
}

function byPrecedence(a: PathRule, b: PathRule): number {
  return b.path.length - a.path.length || Number(b.exact) - Number(a.exact);
}

function byAge(a: Ingress, b: Ingress): number {
  const [created, other] = [a.metadata.creationTimestamp ?? '', b.metadata.creationTimestamp ?? ''];
  if (created !== other) return created < other ? -1 : 1;
  return objectKey(a) < objectKey(b) ? -1 : 1;
}

function wildcardOf(host: string): string {
  const dot = host.indexOf('.');
  return dot < 0 ? '*' : `*${host.slice(dot)}`;
}

/** Lower case, without port and without the dot of the root. */
export function normalizeHost(host: string): string {
  return host.toLowerCase().replace(/:\d+$/, '').replace(/\.$/, '');
}
