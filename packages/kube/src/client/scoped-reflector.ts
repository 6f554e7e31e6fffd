import type { KubeObject } from '../schema/object.ts';
import { createReflector, type Reflector, type ReflectorOptions } from './reflector.ts';

export interface ScopedReflectorOptions<T extends KubeObject> extends Omit<ReflectorOptions<T>, 'namespace'> {
  /** The namespaces to follow, each by requests of its own; the whole cluster when absent. */
  namespaces?: readonly string[] | undefined;
}

/**
 * A reflector for who may look into some namespaces only: one watch a namespace, told as one copy. Of Namespaces themselves each is
 * followed by its name, which is what a right on named objects allows.
 */
export function createScopedReflector<T extends KubeObject = KubeObject>(
  options: ScopedReflectorOptions<T>,
): Reflector<T> {
  const { namespaces, ...rest } = options;
  if (namespaces === undefined) return createReflector(rest);
  const parts = new Map(
    [...new Set(namespaces)].map((namespace) => {
      const where = rest.type.namespaced ? { namespace } : { fieldSelector: `metadata.name=${namespace}` };
      return [namespace, createReflector<T>({ ...rest, ...where })];
    }),
  );
  return joinReflectors(options.name ?? options.type.plural, options.type, parts);
}

function joinReflectors<T extends KubeObject>(
  name: string,
  type: Reflector['type'],
  parts: ReadonlyMap<string, Reflector<T>>,
): Reflector<T> {
  const all = [...parts.values()];
  const synced = Promise.all(all.map((part) => part.synced)).then(() => undefined);
  // Nobody may be waiting for it when the reflectors are stopped early.
  synced.catch(() => undefined);
  return {
    name,
    type,
    synced,
    start: () => {
      for (const part of all) part.start();
    },
    stop: async () => {
      await Promise.all(all.map((part) => part.stop()));
    },
    hasSynced: () => all.every((part) => part.hasSynced()),
    // A key begins with its namespace, or is the name of one.
    get: (key) => parts.get(key.split('/')[0] ?? '')?.get(key),
    list: () => all.flatMap((part) => part.list()),
    byIndex: (index, value) => all.flatMap((part) => part.byIndex(index, value)),
    onChange: (handlerName, handler) => {
      const ends = all.map((part) => part.onChange(handlerName, handler));
      return () => {
        for (const end of ends) end();
      };
    },
    staleSince() {
      const since = all.map((part) => part.staleSince()).filter((each) => each !== undefined);
      return since.length === 0 ? undefined : Math.min(...since);
    },
    healthy: () => all.every((part) => part.healthy()),
  };
}
