import type { KubeClient, ListOptions, WatchOptions } from '../../../client/client.ts';
import {
  type KubeList,
  type KubeObject,
  objectKey,
  type ResourceType,
  type WatchEvent,
} from '../../../schema/object.ts';

/** Objects of any kind in memory with list, watch and a merge of status: all that the router asks of an API server. */
export interface TinyCluster {
  client: KubeClient;
  put(type: ResourceType, object: KubeObject): void;
  remove(type: ResourceType, object: KubeObject): void;
  get(type: ResourceType, key: string): KubeObject | undefined;
}

export function createTinyCluster(): TinyCluster {
  const objects = new Map<string, Map<string, KubeObject>>();
  const watches = new Map<string, Set<(event: WatchEvent) => void>>();
  let version = 0;
  const of = (type: ResourceType) => {
    const known = objects.get(type.plural) ?? new Map<string, KubeObject>();
    objects.set(type.plural, known);
    return known;
  };
  const tell = (type: ResourceType, event: WatchEvent) => {
    for (const watch of watches.get(type.plural) ?? []) watch(event);
  };

  function put(type: ResourceType, object: KubeObject): void {
    const metadata = { uid: objectKey(object), ...object.metadata, resourceVersion: String(++version) };
    const stored = { ...object, metadata };
    const known = of(type).has(objectKey(object));
    of(type).set(objectKey(object), stored);
    tell(type, { type: known ? 'MODIFIED' : 'ADDED', object: stored });
  }

  async function* watch(type: ResourceType, { signal, onOpen }: WatchOptions): AsyncGenerator<WatchEvent> {
    const pending: WatchEvent[] = [];
    let wake: () => void = () => undefined;
    const take = (event: WatchEvent) => {
      pending.push(event);
      wake();
    };
    const all = watches.get(type.plural) ?? new Set();
    watches.set(type.plural, all.add(take));
    signal?.addEventListener('abort', () => wake());
    onOpen?.();
    try {
      for (;;) {
        signal?.throwIfAborted();
        const next = pending.shift();
        if (next) yield next;
        else {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      }
    } finally {
      all.delete(take);
    }
  }

  async function list(type: ResourceType, _options?: ListOptions): Promise<KubeList> {
    const items = [...of(type).values()];
    return { apiVersion: 'v1', kind: 'List', metadata: { resourceVersion: String(version) }, items };
  }

  const patch: KubeClient['patch'] = async (type, at, change) => {
    const object = of(type).get(objectKey({ metadata: at }))!;
    const { status } = change.body as { status?: unknown };
    put(type, { ...object, status });
    return of(type).get(objectKey(object)) as never;
  };

  return {
    client: { list, watch, patch } as Partial<KubeClient> as KubeClient,
    put,
    remove(type, object) {
      const stored = of(type).get(objectKey(object));
      of(type).delete(objectKey(object));
      if (stored) tell(type, { type: 'DELETED', object: stored });
    },
    get: (type, key) => of(type).get(key),
  };
}
