import type { Kind } from './kind.ts';

/** The kinds served now: the built-in ones and those that CustomResourceDefinitions add. */
export interface Registry {
  find(group: string, version: string, plural: string): Kind | undefined;
  findKind(group: string, version: string, kind: string): Kind | undefined;
  all(): Kind[];
  /** Replaces the custom kinds that one definition brings. */
  setCustom(definition: string, kinds: Kind[]): void;
  /** Counts changes: what is derived from the kinds may be kept until it moves. */
  generation(): number;
}

export function createRegistry(builtIn: Kind[]): Registry {
  const custom = new Map<string, Kind[]>();
  let kinds = builtIn;
  let byPath = index(kinds, ({ plural }) => plural);
  let byKind = index(kinds, ({ kind }) => kind);
  let generation = 0;
  return {
    find: (group, version, plural) => byPath.get(`${group}/${version}/${plural}`),
    findKind: (group, version, kind) => byKind.get(`${group}/${version}/${kind}`),
    all: () => kinds,
    setCustom(definition, added) {
      if (added.length === 0) custom.delete(definition);
      else custom.set(definition, added);
      kinds = [...builtIn, ...[...custom.values()].flat()];
      byPath = index(kinds, ({ plural }) => plural);
      byKind = index(kinds, ({ kind }) => kind);
      generation += 1;
    },
    generation: () => generation,
  };
}

function index(kinds: Kind[], field: (kind: Kind) => string): Map<string, Kind> {
  return new Map(kinds.map((kind) => [`${kind.group}/${kind.version}/${field(kind)}`, kind]));
}
