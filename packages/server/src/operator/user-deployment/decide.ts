import { isScheduled } from '@berth/core/job';
import { CRON_JOB, DEPLOYMENT, INGRESS, JOB, PERSISTENT_VOLUME_CLAIM } from '@berth/kube/schema/resources';
import {
  admitted,
  type Check,
  hostsClaimed,
  namesFree,
  notPausedFirst,
  routeServed,
  secretsDelivered,
  validSpec,
} from './checks.ts';
import { covers } from './covers.ts';
import { dependenciesReady } from './dependencies.ts';
import { type Child, childKey, HASH_ANNOTATION } from './desired/child.ts';
import { runNameOf } from './desired/job.ts';
import { mayRun, runFor, runState } from './job-run.ts';
import type { Hold, Objection } from './objection.ts';
import type { Owned, Situation } from './situation.ts';

/**
 * The rules that one UserDeployment passes, in this order:
 *
 *     valid spec           else nothing changes: a bad edit takes nothing down
 *     admitted             else nothing changes
 *     not paused           else nothing changes, when no version has been good yet
 *     hosts claimed        else those hosts are not routed
 *     names free           else the service waits
 *     secrets delivered    else the service's pods wait
 *     dependencies ready   else the service's new pods wait, and the jobs' runs
 *     route served         else the public address stays as it is
 */
export const CHECKS: readonly Check[] = [
  validSpec,
  admitted,
  notPausedFirst,
  hostsClaimed,
  namesFree,
  secretsDelivered,
  dependenciesReady,
  routeServed,
];

export interface Decision {
  /** What each check objects to, by the check's name; a check after one that holds everything is not asked. */
  objections: ReadonlyMap<string, readonly Objection[]>;
  /** What differs from what stands and may be made now, in order. */
  apply: Child[];
  /** What is ours and no longer wanted; and a Job that has failed for an earlier version, to be made again. */
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
    prune: stopped
      ? []
      : [...unwanted.filter(({ type }) => type !== PERSISTENT_VOLUME_CLAIM), ...failedBefore(situation)],
    keptClaims: unwanted
      .filter(({ type }) => type === PERSISTENT_VOLUME_CLAIM)
      .map(({ object }) => object.metadata.name),
    retryAfterMs: retries.length > 0 ? Math.min(...retries) : undefined,
  };
}

const MAKES_PODS: readonly Child['type'][] = [DEPLOYMENT, JOB, CRON_JOB];

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
    return hold.what === 'pods' && MAKES_PODS.includes(type) && service === hold.service;
  });
}

/** The hash finds what we changed, the comparison what others did. */
function differs({ type, object }: Child, situation: Situation): boolean {
  const found = situation.present.get(childKey(type, object.metadata.name));
  // A run is made once and never changed.
  if (type === JOB) return !found && isToRun(object.metadata.name, situation);
  if (!found) return !isStoppedDeployment(type, object);
  const hash = object.metadata.annotations?.[HASH_ANNOTATION];
  return found.metadata.annotations?.[HASH_ANNOTATION] !== hash || !covers(found, object);
}

/** What is stopped from the start is not made: its start would pass by the order of dependencies. */
function isStoppedDeployment(type: Child['type'], object: Child['object']): boolean {
  return type === DEPLOYMENT && (object.spec as { replicas?: number }).replicas === 0;
}

function isToRun(name: string, situation: Situation): boolean {
  const job = (situation.spec?.jobs ?? []).find((each) => runNameOf(situation.owner.name, each) === name);
  return job !== undefined && mayRun(situation, job);
}

function failedBefore(situation: Situation): Owned[] {
  const jobs = (situation.spec?.jobs ?? []).filter((job) => !isScheduled(job) && mayRun(situation, job));
  return jobs
    .filter((job) => runState(situation, job) === 'FailedBefore')
    .flatMap((job) => {
      const object = runFor(situation, job);
      return object ? [{ type: JOB, object }] : [];
    });
}

function unwantedOf({ children, owned, staying }: Situation): Owned[] {
  const wanted = new Set(children.map(({ type, object }) => childKey(type, object.metadata.name)));
  return owned.filter(
    ({ type, object }) =>
      !wanted.has(childKey(type, object.metadata.name)) &&
      !staying.has(childKey(type, object.metadata.name)) &&
      object.metadata.deletionTimestamp === undefined,
  );
}
