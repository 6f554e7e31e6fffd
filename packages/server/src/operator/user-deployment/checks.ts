import { findCondition } from '@berth/core/conditions';
import { isScheduled } from '@berth/core/job';
import { serviceObjectName } from '@berth/core/names';
import { ANNOTATIONS, CONDITIONS } from '@berth/core/user-deployment';
import { DEPLOYMENT, INGRESS } from '@berth/kube/schema/resources';
import type { Deployment } from '../kinds.ts';
import { type Child, childKey } from './desired/child.ts';
import { replicasOf } from './desired/deployment.ts';
import { usedSecretKeys } from './desired/files.ts';
import { workloadsOf } from './desired/workload.ts';
import { isKept } from './effective-spec.ts';
import { mayRun } from './job-run.ts';
import type { Hold, Objection } from './objection.ts';
import { standingOf } from './ownership.ts';
import { serves } from './readiness.ts';
import type { Situation } from './situation.ts';

/** A pure rule. Its name is in the logs. */
export interface Check {
  name: string;
  objections(situation: Situation): Objection[];
}

/** Objects of others send us no events. */
const LOOK_AGAIN_MS = 30_000;
const COLLECTED_SOON_MS = 2_000;

const CHECKED_SOON_MS = 10_000;
const NOT_CHECKED =
  'waits until the platform has checked it against the plan, which it does in the namespaces of its teams only';

export const validSpec: Check = {
  name: 'valid spec',
  objections({ problems, spec }) {
    if (problems.length === 0) return [];
    const message = problems.map(({ path, message }) => `${path}: ${message}`).join('; ');
    // What is on its way back to the last good version gets there all the same.
    return [{ reason: 'InvalidSpec', message, holds: { what: spec ? 'nothing' : 'everything' } }];
  },
};

/** Only the platform knows the plan: without its word nothing is made. */
export const admitted: Check = {
  name: 'admitted',
  objections({ userDeployment, now }) {
    const condition = findCondition(userDeployment.status?.conditions, CONDITIONS.admitted);
    if (condition?.status === 'True') return [];
    const reason = condition?.reason ?? 'NotAdmittedYet';
    const holds = { what: 'everything' } as const;
    if (condition?.message) return [{ reason, message: condition.message, holds }];
    const age = now - Date.parse(userDeployment.metadata.creationTimestamp ?? '');
    if (age > CHECKED_SOON_MS) return [{ reason, message: NOT_CHECKED, holds }];
    return [{ reason, message: 'is checked against the plan', holds, retryAfterMs: CHECKED_SOON_MS }];
  },
};

/** A host that is not granted is not routed; the granted ones are. */
export const hostsClaimed: Check = {
  name: 'hosts claimed',
  objections({ userDeployment, spec }) {
    const granted = userDeployment.status?.grantedHosts ?? [];
    const missing = (spec?.exposure ?? []).map(({ host }) => host).filter((host) => !granted.includes(host));
    if (missing.length === 0) return [];
    const condition = findCondition(userDeployment.status?.conditions, CONDITIONS.hostsClaimed);
    const refused = condition?.status === 'False';
    const why = refused && condition.message ? condition.message : 'the platform has not granted it yet';
    const reason = refused ? 'HostRefused' : 'HostNotGrantedYet';
    return [{ reason, message: `${missing.join(', ')} is not routed: ${why}`, holds: { what: 'nothing' } }];
  },
};

/** A name that somebody else's object holds is never taken over: the whole service waits, since its parts rely on each other. */
export const namesFree: Check = {
  name: 'names free',
  objections({ children, present, owner }) {
    return children.flatMap((child) => {
      const { name } = child.object.metadata;
      const object = present.get(childKey(child.type, name));
      const standing = standingOf(object, owner);
      if (standing === 'absent' || standing === 'ours') return [];
      const what = `${child.type.kind} ${name}`;
      if (standing === 'going') {
        const message = `waits until the earlier ${what} is gone${finalizersOf(object?.metadata.finalizers)}`;
        return [{ reason: 'EarlierObjectGoing', message, holds: holdOf(child), retryAfterMs: COLLECTED_SOON_MS }];
      }
      const message = `${what} exists and is not of this deployment; delete or rename it, or give the service another name`;
      return [{ reason: 'NameTaken', message, holds: holdOf(child), retryAfterMs: LOOK_AGAIN_MS }];
    });
  },
};

/**
 * No pod starts with an old value: its Secret must say that it carries the newest version, and have every key. A version that is
 * kept takes what there is: its pods run already.
 */
export const secretsDelivered: Check = {
  name: 'secrets delivered',
  objections(situation) {
    const { spec, wanted, course, owner, secrets, deliveryProblems } = situation;
    const kept = isKept(course, wanted);
    return (spec ? workloadsOf(spec) : []).flatMap((service) => {
      const keys = usedSecretKeys(service);
      if (keys.length === 0) return [];
      const name = serviceObjectName(owner.name, service.name);
      const secret = secrets.get(name);
      const missing = keys.filter((key) => secret?.hashes[key] === undefined);
      const version = secret?.metadata.annotations?.[ANNOTATIONS.secretVersion];
      const isCurrent = kept || (version === spec?.secretVersion && secret?.metadata.deletionTimestamp === undefined);
      if (missing.length === 0 && isCurrent) return [];
      const what = missing.length > 0 ? `secret ${missing.join(', ')}` : `the new value of secret ${keys.join(', ')}`;
      const why = deliveryProblems.get(name);
      const message = `${service.name} waits for ${what}${why ? `: ${why}` : ''}`;
      const needed = needsPods(situation, service.name);
      const holds: Hold = { what: needed ? 'pods' : 'nothing', service: service.name };
      return [{ reason: why ? 'DeliveryFailed' : 'SecretsMissing', message, holds }];
    });
  },
};

/**
 * The public address does not lead to what an update has only just made: where one stands, it stays as it is until each
 * service that it is to lead to answers.
 */
export const routeServed: Check = {
  name: 'route served',
  objections(situation) {
    const { course, spec, owned } = situation;
    if (course.state !== 'progressing' || !owned.some(({ type }) => type === INGRESS)) return [];
    const targets = (spec?.exposure ?? [])
      .flatMap((each) => [each, ...(each.paths ?? [])])
      .map(({ service }) => service);
    const silent = [...new Set(targets)].filter((service) => !serves(deploymentFor(situation, service)));
    if (silent.length === 0) return [];
    const message = `addresses lead to ${silent.join(' and ')} when it is ready`;
    return [{ reason: 'TargetNotReady', message, holds: { what: 'route' } }];
  },
};

/** Without a version that was good once there is nothing to keep but what stands. A stop is no change. */
export const notPausedFirst: Check = {
  name: 'not paused',
  objections({ course, wanted }) {
    if (course.state !== 'first' || !wanted?.paused || wanted.desired === 'stopped') return [];
    return [{ reason: 'Paused', message: 'is paused; resume it to go on', holds: { what: 'everything' } }];
  },
};

/** The Deployment of a service that is ours, as it stands. */
export function deploymentFor({ owner, present, owned }: Situation, service: string): Deployment | undefined {
  const name = serviceObjectName(owner.name, service);
  const found =
    present.get(childKey(DEPLOYMENT, name)) ??
    owned.find(({ type, object }) => type === DEPLOYMENT && object.metadata.name === name)?.object;
  return standingOf(found, owner) === 'ours' ? (found as Deployment) : undefined;
}

/** What is stopped, or asked to stop, needs no secret; nor does a job that has had its run. */
function needsPods(situation: Situation, name: string): boolean {
  const { spec } = situation;
  if (!spec || spec.desired === 'stopped') return false;
  const service = spec.services.find((each) => each.name === name);
  if (service) return replicasOf(spec, service) > 0;
  const job = spec.jobs?.find((each) => each.name === name);
  return job !== undefined && (isScheduled(job) || mayRun(situation, job));
}

function holdOf({ type, service }: Child): Hold {
  if (service !== undefined) return { what: 'service', service };
  return type === INGRESS ? { what: 'route' } : { what: 'everything' };
}

function finalizersOf(finalizers: readonly string[] | undefined): string {
  return finalizers?.length ? ` (it waits for ${finalizers.join(', ')})` : '';
}
