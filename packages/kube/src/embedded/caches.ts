import type { KubeClient } from '../client/client.ts';
import type { Clock } from '../client/clock.ts';
import type { Logger } from '../client/logger.ts';
import { createReflector, type Reflector, withoutManagedFields } from '../client/reflector.ts';
import type { KubeObject, ResourceType } from '../schema/object.ts';

/** One reflector a kind, shared by everything in this process that reads it. */
export interface Caches {
  of<T extends KubeObject>(type: ResourceType): Reflector<T>;
  stop(): Promise<void>;
}

/** Indexes that every cache has. */
export const BY_NAMESPACE = 'namespace';
export const BY_OWNER = 'owner uid';
export const BY_UID = 'uid';

export function createCaches(options: { client: KubeClient; logger: Logger; clock: Clock }): Caches {
  const reflectors = new Map<string, Reflector>();
  return {
    of<T extends KubeObject>(type: ResourceType) {
      const key = `${type.group}/${type.version}/${type.plural}`;
      let reflector = reflectors.get(key) as Reflector<T> | undefined;
      if (!reflector) {
        reflector = createReflector<T>({ ...options, type, transform: withoutManagedFields, indexers: INDEXERS });
        reflectors.set(key, reflector as unknown as Reflector);
      }
      return reflector;
    },
    async stop() {
      await Promise.all([...reflectors.values()].map((reflector) => reflector.stop()));
    },
  };
}

const INDEXERS = {
  [BY_NAMESPACE]: ({ metadata }: KubeObject) => [metadata.namespace ?? ''],
  [BY_UID]: ({ metadata }: KubeObject) => [metadata.uid ?? ''],
  [BY_OWNER]: ({ metadata }: KubeObject) => (metadata.ownerReferences ?? []).map((owner) => owner.uid),
};
