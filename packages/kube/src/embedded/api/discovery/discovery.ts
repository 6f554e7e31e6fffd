import type { Kind } from '../kind.ts';
import type { Registry } from '../registry.ts';

/** The documents a client reads to learn which kinds there are. */
const ALL_VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
const STATUS_VERBS = ['get', 'patch', 'update'];

export const SERVER_VERSION = {
  major: '1',
  minor: '34',
  emulationMajor: '1',
  emulationMinor: '34',
  minCompatibilityMajor: '1',
  minCompatibilityMinor: '33',
  gitVersion: 'v1.34.4+berth',
  gitCommit: '',
  gitTreeState: 'clean',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: 'none',
  compiler: 'none',
  platform: 'linux/amd64',
};

interface Resource {
  name: string;
  singularName: string;
  namespaced: boolean;
  kind: string;
  group?: string;
  version?: string;
  verbs: string[];
  shortNames?: string[];
  categories?: string[];
}

interface GroupVersions {
  group: string;
  /** Preferred first. */
  versions: string[];
}

/** In the order kinds were registered, as `kubectl api-resources` shows them. */
export function groupsOf(registry: Registry): GroupVersions[] {
  const groups = new Map<string, string[]>();
  for (const { group, version } of registry.all()) {
    const versions = groups.get(group) ?? [];
    if (!versions.includes(version)) versions.push(version);
    groups.set(group, versions);
  }
  return [...groups].map(([group, versions]) => ({ group, versions: versions.sort(compareVersions) }));
}

/** GA before beta before alpha, then the higher number first; anything else after, by name. */
export function compareVersions(left: string, right: string): number {
  const [a, b] = [rankOf(left), rankOf(right)];
  for (let at = 0; at < a.length; at++) if (a[at] !== b[at]) return b[at]! - a[at]!;
  return left < right ? -1 : 1;
}

function rankOf(version: string): number[] {
  const match = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version);
  if (!match) return [0, 0, 0];
  const stage = match[2] === undefined ? 3 : match[2] === 'beta' ? 2 : 1;
  return [stage, Number(match[1]), Number(match[3] ?? 0)];
}

export function coreVersions(address: string) {
  return {
    kind: 'APIVersions',
    versions: ['v1'],
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: address }],
  };
}

export function groupList(registry: Registry) {
  const groups = groupsOf(registry).filter(({ group }) => group !== '');
  return { kind: 'APIGroupList', apiVersion: 'v1', groups: groups.map(describeGroup) };
}

export function groupDocument(registry: Registry, name: string) {
  const found = groupsOf(registry).find(({ group }) => group === name && name !== '');
  return found && { kind: 'APIGroup', apiVersion: 'v1', ...describeGroup(found) };
}

function describeGroup({ group, versions }: GroupVersions) {
  const all = versions.map((version) => ({ groupVersion: `${group}/${version}`, version }));
  return { name: group, versions: all, preferredVersion: all[0] };
}

export function resourceList(registry: Registry, group: string, version: string) {
  const kinds = registry.all().filter((kind) => kind.group === group && kind.version === version);
  if (kinds.length === 0) return undefined;
  const groupVersion = group === '' ? version : `${group}/${version}`;
  return {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion,
    resources: kinds.flatMap(resourcesOf).sort(byName),
  };
}

function byName(left: { name: string }, right: { name: string }): number {
  return left.name < right.name ? -1 : left.name > right.name ? 1 : 0;
}

function resourcesOf(kind: Kind): Resource[] {
  const own: Resource = {
    name: kind.plural,
    singularName: kind.singular,
    namespaced: kind.namespaced,
    kind: kind.kind,
    verbs: verbsOf(kind),
    ...(kind.shortNames?.length && { shortNames: kind.shortNames }),
    ...(kind.categories?.length && { categories: kind.categories }),
  };
  return [own, ...subresourcesOf(kind)];
}

function verbsOf({ verbs }: Kind): string[] {
  return [...(verbs ?? ALL_VERBS)].sort();
}

function subresourcesOf(kind: Kind): Resource[] {
  const base = { singularName: '', namespaced: kind.namespaced };
  const found: Resource[] = (kind.others ?? []).map(({ name, ...rest }) => ({
    ...base,
    ...rest,
    name: `${kind.plural}/${name}`,
  }));
  if (kind.scale) {
    found.push({
      ...base,
      name: `${kind.plural}/scale`,
      kind: 'Scale',
      group: 'autoscaling',
      version: 'v1',
      verbs: STATUS_VERBS,
    });
  }
  if (kind.status) found.push({ ...base, name: `${kind.plural}/status`, kind: kind.kind, verbs: STATUS_VERBS });
  return found;
}

/** All groups in one document, apidiscovery.k8s.io/v2. `core` picks the legacy group or all the others. */
export function aggregatedDiscovery(registry: Registry, core: boolean) {
  const groups = groupsOf(registry).filter(({ group }) => (group === '') === core);
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: 'apidiscovery.k8s.io/v2',
    metadata: {},
    items: groups.map(({ group, versions }) => ({
      metadata: { name: group, creationTimestamp: null },
      versions: versions.map((version) => ({
        version,
        freshness: 'Current',
        resources: discoveredResources(registry, group, version),
      })),
    })),
  };
}

function discoveredResources(registry: Registry, group: string, version: string) {
  const kinds = registry.all().filter((kind) => kind.group === group && kind.version === version);
  return [...kinds]
    .sort((left, right) => (left.plural < right.plural ? -1 : 1))
    .map((kind) => ({
      resource: kind.plural,
      responseKind: { group, version, kind: kind.kind },
      scope: kind.namespaced ? 'Namespaced' : 'Cluster',
      singularResource: kind.singular,
      verbs: verbsOf(kind),
      ...(kind.shortNames?.length && { shortNames: kind.shortNames }),
      ...(kind.categories?.length && { categories: kind.categories }),
      ...(subresourcesOf(kind).length > 0 && {
        subresources: subresourcesOf(kind).map((sub) => ({
          subresource: sub.name.split('/')[1],
          responseKind: { group: sub.group ?? group, version: sub.version ?? version, kind: sub.kind },
          verbs: sub.verbs,
        })),
      }),
    }));
}
