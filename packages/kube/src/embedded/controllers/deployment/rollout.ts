/**
 * The arithmetic of a rollout. Two promises hold at every step: never more than `replicas + surge` pods in all, and never
 * fewer than `replicas - unavailable` that are available. New pods come as far as the first allows, old ones go as far as the
 * second does.
 */
export interface RolloutBounds {
  surge: number;
  unavailable: number;
}

/** Percentages of the surge round up, of the unavailable down; both zero would never move. */
export function rolloutBounds(
  replicas: number,
  given: { maxSurge?: number | string; maxUnavailable?: number | string } = {},
): RolloutBounds {
  const surge = resolve(given.maxSurge ?? '25%', replicas, Math.ceil);
  const unavailable = Math.min(resolve(given.maxUnavailable ?? '25%', replicas, Math.floor), replicas);
  return surge === 0 && unavailable === 0 ? { surge, unavailable: 1 } : { surge, unavailable };
}

function resolve(value: number | string, total: number, round: (value: number) => number): number {
  if (typeof value === 'number') return value;
  const match = /^(\d+)%$/.exec(value);
  return match ? round((Number(match[1]) * total) / 100) : 0;
}

/** What a rollout knows of one ReplicaSet. */
export interface SetCounts {
  replicas: number;
  /** Pods that exist, which lags behind what is wanted. */
  existing: number;
  available: number;
}

export interface RolloutState {
  replicas: number;
  bounds: RolloutBounds;
  current: SetCounts;
  /** Oldest first. */
  old: SetCounts[];
}

/** How many replicas the new set should have now. */
export function nextCurrentReplicas({ replicas, bounds, current, old }: RolloutState): number {
  if (current.replicas >= replicas) return replicas;
  const total = sum([current, ...old], (set) => Math.max(set.replicas, set.existing));
  const room = replicas + bounds.surge - total;
  return Math.max(current.replicas, Math.min(replicas, current.replicas + Math.max(0, room)));
}

/** How many replicas each old set should have now, in the order given. */
export function nextOldReplicas({ replicas, bounds, current, old }: RolloutState): number[] {
  const least = replicas - bounds.unavailable;
  const notYet = Math.max(0, current.replicas - current.available);
  const spare = sum([current, ...old], (set) => set.replicas) - least - notYet;
  let left = Math.max(0, spare);
  // Pods that serve nobody go first: they cost nothing to lose.
  const next = old.map((set) => {
    const broken = Math.min(left, Math.max(0, set.replicas - set.available));
    left -= broken;
    return set.replicas - broken;
  });
  const available = sum([current, ...old], (set) => set.available);
  let surplus = Math.max(0, available - least);
  return next.map((count) => {
    const going = Math.min(surplus, count);
    surplus -= going;
    return count - going;
  });
}

function sum(sets: SetCounts[], count: (set: SetCounts) => number): number {
  return sets.reduce((total, set) => total + count(set), 0);
}
