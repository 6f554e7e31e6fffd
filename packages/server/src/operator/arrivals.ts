import type { Clock } from '@berth/kube/client/clock';
import { objectKey } from '@berth/kube/schema/object';
import type { Caches } from './caches.ts';
import type { Child } from './user-deployment/desired/child.ts';

/**
 * Lets a reconcile see its own writes: what it has made is waited for in the caches before its key is given back, so that the next
 * look neither makes it again nor runs once for each event of it.
 */
export interface Arrivals {
  /** Resolves when the caches hold them all, and after a while all the same: somebody may have deleted one already. */
  of(made: readonly Child[], signal: AbortSignal): Promise<void>;
}

const LONGEST_MS = 2_000;

export function createArrivals({ children }: Pick<Caches, 'children'>, clock: Clock): Arrivals {
  const waiting = new Map<string, () => void>();
  for (const [kind, reflector] of children) {
    reflector.onChange('arrivals', ({ object }) => waiting.get(`${kind}/${objectKey(object)}`)?.());
  }

  function arrival({ type, object }: Child): { key: string; arrived: Promise<void> } | undefined {
    const key = objectKey(object);
    if (children.get(type.kind)?.get(key)) return undefined;
    const name = `${type.kind}/${key}`;
    return { key: name, arrived: new Promise((resolve) => waiting.set(name, resolve)) };
  }

  return {
    async of(made, signal) {
      const missing = made.map(arrival).filter((each) => each !== undefined);
      if (missing.length === 0) return;
      let giveUp: () => void = () => undefined;
      const enough = new Promise<void>((resolve) => {
        giveUp = resolve;
      });
      const cancel = clock.after(LONGEST_MS, giveUp);
      signal.addEventListener('abort', giveUp);
      try {
        await Promise.race([enough, Promise.all(missing.map(({ arrived }) => arrived))]);
      } finally {
        cancel();
        signal.removeEventListener('abort', giveUp);
        for (const { key } of missing) waiting.delete(key);
      }
    },
  };
}
