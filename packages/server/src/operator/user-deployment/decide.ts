import { DEPLOYMENT, INGRESS, PERSISTENT_VOLUME_CLAIM } from '@berth/kube/schema/resources';
import {
  admitted,
  type Check,
  dependenciesReady,
  hostsClaimed,
  namesFree,
  secretsDelivered,
  validSpec,
} from './checks.ts';
import { covers } from './covers.ts';
import { type Child, childKey, HASH_ANNOTATION } from './desired/child.ts';
import type { Hold, Objection } from './objection.ts';
import type { Owned, Situation } from './situation.ts';

/**
 * The rules that one UserDeployment passes, in this order:
 *
 *     valid spec           else nothing changes: a bad edit takes nothing down
 *     admitted             else nothing changes
 *     hosts claimed        else those hosts are not routed
 *     names free           else the service waits
 *     secrets delivered    else the service's pods wait
 *     dependencies ready   else the service's pods wait
 */
export const CHECKS: readonly Check[] = [
  validSpec,
  admitted,
  hostsClaimed,
  namesFree,
  secretsDelivered,
  dependenciesReady,
];

export interface Decision {
  /** What each check objects to, by the check's name; a check after one that holds everything is not asked. */
  objections: ReadonlyMap<string, readonly Objection[]>;
  /** What differs from what stands and may be made now, in order. */
  apply: Child[];
  /** What is ours and no longer wanted. */
  prune: Owned[];
  /** Names of claims that no service mounts any more: kept, since an edit must not cost data. */
  keptClaims: string[];
  /** Look again after this time though nothing changed. */
  retryAfterMs: number | undefined;
}

export function decide(situation: Situation): Decision {
  const objections = ask(situation);
  const all = [...objections.values()].flat();
  const holds = all.map((objection) => objection.holds);
  const stopped = holds.some((hold) => hold.what === 'everything');
  const unwanted = stopped ? [] : unwantedOf(situation);
  const retries = all.flatMap(({ retryAfterMs }) => (retryAfterMs === undefined ? [] : [retryAfterMs]));
  return {
    objections,
    apply: stopped ? [] : situation.children.filter((child) => !isHeld(child, holds) && differs(child, situation)),
    prune: unwanted.filter(({ type }) => type !== PERSISTENT_VOLUME_CLAIM),
    keptClaims: unwanted
      .filter(({ type }) => type === PERSISTENT_VOLUME_CLAIM)
      .map(({ object }) => object.metadata.name),
    retryAfterMs: retries.length > 0 ? Math.min(...retries) : undefined,
  };
}

function ask(situation: Situation): Map<string, Objection[]> {
  const objections = new Map<string, Objection[]>();
  for (const check of CHECKS) {
    const found = check.objections(situation);
    if (found.length > 0) objections.set(check.name, found);
    if (found.some(({ holds }) => holds.what === 'everything')) break;
  }
  return objections;
}

function isHeld({ type, service }: Child, holds: readonly Hold[]): boolean {
  return holds.some((hold) => {
    if (hold.what === 'route') return type === INGRESS;
    if (hold.what === 'service') return service === hold.service;
    return hold.what === 'pods' && type === DEPLOYMENT && service === hold.service;
  });
}

/** The hash finds what we changed, the comparison what others did. */
function differs({ type, object }: Child, { present }: Situation): boolean {
  const found = present.get(childKey(type, object.metadata.name));
  if (!found) return !isStoppedDeployment(type, object);
  const hash = object.metadata.annotations?.[HASH_ANNOTATION];
  return found.metadata.annotations?.[HASH_ANNOTATION] !== hash || !covers(found, object);
}

/** What is stopped from the start is not made: its start would pass by the order of dependencies. */
function isStoppedDeployment(type: Child['type'], object: Child['object']): boolean {
  return type === DEPLOYMENT && (object.spec as { replicas?: number }).replicas === 0;
}

function unwantedOf({ children, owned }: Situation): Owned[] {
  const wanted = new Set(children.map(({ type, object }) => childKey(type, object.metadata.name)));
  return owned.filter(
    ({ type, object }) =>
      !wanted.has(childKey(type, object.metadata.name)) && object.metadata.deletionTimestamp === undefined,
  );
}
