import { type KubeObject, objectKey } from '../schema/object.ts';

/** One difference between what the cache held and what it holds now. */
export type Change<T> =
  | { type: 'added'; object: T }
  | { type: 'updated'; object: T; previous: T }
  | { type: 'deleted'; object: T };

export type Indexers<T> = Record<string, (object: T) => string[]>;

/** The objects of one collection by key and by index. Each object is kept once and shared: treat it as read-only. */
export interface ObjectCache<T extends KubeObject> {
  readonly size: number;
  get(key: string): T | undefined;
  list(): T[];
  /** Throws for an index that was not declared. */
  byIndex(index: string, value: string): T[];
  /** Takes over one state of an object; says what that changed. */
  put(object: T): Change<T>[];
  remove(object: T): Change<T>[];
  /** After every object of a list was put: what is missing from it was deleted while nobody looked. */
  retain(keys: ReadonlySet<string>): Change<T>[];
}

export function createObjectCache<T extends KubeObject>(indexers: Indexers<T> = {}): ObjectCache<T> {
  const objects = new Map<string, T>();
  const indexes = new Map(Object.keys(indexers).map((name) => [name, new Map<string, Map<string, T>>()]));

  function index(key: string, object: T): void {
    for (const [name, values] of indexes) {
      for (const value of indexers[name]!(object)) {
        const bucket = values.get(value);
        if (bucket) bucket.set(key, object);
        else values.set(value, new Map([[key, object]]));
      }
    }
  }

  function unindex(key: string, object: T): void {
    for (const [name, values] of indexes) {
      for (const value of indexers[name]!(object)) {
        const bucket = values.get(value);
        bucket?.delete(key);
        if (bucket?.size === 0) values.delete(value);
      }
    }
  }

  function drop(key: string, object: T): void {
    unindex(key, object);
    objects.delete(key);
  }

  function put(object: T): Change<T>[] {
    const key = objectKey(object);
    const previous = objects.get(key);
    if (previous && isSameState(previous, object)) return [];
    if (previous) drop(key, previous);
    objects.set(key, object);
    index(key, object);
    if (!previous) return [{ type: 'added', object }];
    if (previous.metadata.uid === object.metadata.uid) return [{ type: 'updated', object, previous }];
    // Deleted and made anew while nobody looked: two objects that share a name, not one that changed.
    return [
      { type: 'deleted', object: previous },
      { type: 'added', object },
    ];
  }

  return {
    get size() {
      return objects.size;
    },
    get: (key) => objects.get(key),
    list: () => [...objects.values()],
    byIndex(name, value) {
      const values = indexes.get(name);
      if (!values) throw new Error(`index ${JSON.stringify(name)} was not declared; known: ${[...indexes.keys()]}`);
      return [...(values.get(value)?.values() ?? [])];
    },
    put,
    remove(object) {
      const key = objectKey(object);
      const previous = objects.get(key);
      if (!previous) return [];
      drop(key, previous);
      return [{ type: 'deleted', object }];
    },
    retain(keys) {
      const changes: Change<T>[] = [];
      for (const [key, object] of [...objects]) {
        if (keys.has(key)) continue;
        drop(key, object);
        changes.push({ type: 'deleted', object });
      }
      return changes;
    },
  };
}

function isSameState(a: KubeObject, b: KubeObject): boolean {
  const version = a.metadata.resourceVersion;
  return version !== undefined && version === b.metadata.resourceVersion && a.metadata.uid === b.metadata.uid;
}
