import type { Clock } from '../../../client/clock.ts';
import type { Pod } from '../../../schema/kinds/pod.ts';

/**
 * What a controller wrote and its cache does not show yet. Counting pods from the cache alone would create the same pod twice
 * whenever the watch is slower than the next reconcile; so pods just made are added to what the cache has, and pods just
 * deleted are taken away, until the cache shows the same or the memory is too old to be believed.
 */
export interface OwnWrites {
  created(owner: string, pod: Pod): void;
  deleted(pod: Pod): void;
  /** The cache's pods of an owner as they will be once it has caught up. */
  overlay(owner: string, cached: Pod[]): Pod[];
}

const FORGET_AFTER_MS = 60_000;

export function createOwnWrites(clock: Clock): OwnWrites {
  const made = new Map<string, { owner: string; pod: Pod; at: number }>();
  const removed = new Map<string, number>();

  function expire(): void {
    const limit = clock.monotonic() - FORGET_AFTER_MS;
    for (const [uid, { at }] of made) if (at < limit) made.delete(uid);
    for (const [uid, at] of removed) if (at < limit) removed.delete(uid);
  }

  return {
    created(owner, pod) {
      made.set(pod.metadata.uid ?? '', { owner, pod, at: clock.monotonic() });
    },
    deleted(pod) {
      removed.set(pod.metadata.uid ?? '', clock.monotonic());
      made.delete(pod.metadata.uid ?? '');
    },
    overlay(owner, cached) {
      expire();
      for (const { metadata } of cached) made.delete(metadata.uid ?? '');
      const missing = [...made.values()].filter((entry) => entry.owner === owner).map((entry) => entry.pod);
      return [...cached, ...missing].filter((pod) => !removed.has(pod.metadata.uid ?? ''));
    },
  };
}
