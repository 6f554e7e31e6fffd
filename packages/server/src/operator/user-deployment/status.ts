import { isDeepStrictEqual } from 'node:util';
import { type Condition, findCondition, isTrue, type NewCondition, setCondition } from '@berth/core/conditions';
import {
  CONDITIONS,
  type Phase,
  phaseOf,
  type ServiceStatus,
  type UpdateStatus,
  type UserDeploymentStatus,
} from '@berth/core/user-deployment';
import type { UserDeployment } from '../../kubernetes/user-deployment.ts';
import {
  admitted,
  hostsClaimed,
  namesFree,
  notPausedFirst,
  routeServed,
  secretsDelivered,
  validSpec,
} from './checks.ts';
import { jobStatus } from './job-status.ts';
import type { Objection } from './objection.ts';
import { type Outcome, refusalText, serviceStatus } from './service-state.ts';
import { updatedCondition, updateStatus } from './update-status.ts';

/** The operator's part of the status. `Admitted`, `HostsClaimed` and `grantedHosts` are the server's and stay untouched. */
export type OwnStatus = Pick<
  UserDeploymentStatus,
  'phase' | 'url' | 'observedGeneration' | 'services' | 'jobs' | 'update' | 'conditions'
>;

export interface UrlOptions {
  /** How the outside reaches granted hosts. */
  publicScheme: 'http' | 'https';
  /** Left out of the URL when it is the scheme's own. */
  publicPort?: number | undefined;
}

const OWN_CONDITIONS: readonly string[] = [
  CONDITIONS.valid,
  CONDITIONS.secretsDelivered,
  CONDITIONS.servicesReady,
  CONDITIONS.routed,
  CONDITIONS.updated,
  CONDITIONS.ready,
];

export function statusOf(outcome: Outcome, options: UrlOptions): OwnStatus {
  const { userDeployment, spec, now } = outcome.situation;
  const before = userDeployment.status;
  const observedGeneration = userDeployment.metadata.generation ?? 0;
  // With a spec that cannot be read, what was said of the services last still holds.
  const services = spec ? spec.services.map((service) => serviceStatus(outcome, service)) : (before?.services ?? []);
  const jobs = spec ? (spec.jobs ?? []).map((job) => jobStatus(outcome, job)) : (before?.jobs ?? []);
  const parts = [valid(outcome), delivered(outcome), servicesReady(outcome, services), routed(outcome)];
  const update = updateStatus(outcome.situation);
  const all = [...parts, ...(update ? [updated(outcome, update, parts)] : []), ready(outcome, parts)];
  const conditions = all.map((part) => ({ ...part, observedGeneration }));
  // Its record may have been deleted: then no version is known to be good any more.
  const earlier = (before?.conditions ?? []).filter(({ type }) => update || type !== CONDITIONS.updated);
  const own = merge(earlier, conditions, new Date(now));
  const desired = userDeployment.spec.desired ?? 'running';
  const everybodys = [...(before?.conditions ?? []).filter(({ type }) => !OWN_CONDITIONS.includes(type)), ...own];
  const url = urlOf(outcome, options);
  return {
    phase: phaseOf({ deleting: false, desired, wasReady: wasReady(before), conditions: everybodys, services, jobs }),
    ...(url !== undefined && { url }),
    observedGeneration,
    services,
    ...(jobs.length > 0 && { jobs }),
    ...(update && { update }),
    conditions: own,
  };
}

/** All stays as it is but this: what is brought back is looked at next. */
export function stoppedStatus(userDeployment: UserDeployment, update: UpdateStatus, now: number): OwnStatus {
  const before = userDeployment.status;
  const observedGeneration = userDeployment.metadata.generation ?? 0;
  const part = { ...updatedCondition(update, { runs: false, waits: undefined }), observedGeneration };
  const own = merge(before?.conditions ?? [], [part], new Date(now));
  return { ...ownPartOf(before), update, conditions: own };
}

function ownPartOf(before: UserDeploymentStatus | undefined): OwnStatus {
  const { grantedHosts: _theirs, conditions: _merged, ...own } = before ?? {};
  return own;
}

/** While its children go. `blockers` are those that are still there. */
export function deletingStatus(userDeployment: UserDeployment, blockers: readonly string[], now: number): OwnStatus {
  const before = userDeployment.status;
  const observedGeneration = userDeployment.metadata.generation ?? 0;
  const message = blockers.length > 0 ? `waits until these are gone: ${blockers.join('; ')}` : 'everything is gone';
  const part: NewCondition = {
    type: CONDITIONS.ready,
    status: 'False',
    reason: 'Deleting',
    message,
    observedGeneration,
  };
  const own = (before?.conditions ?? []).filter(({ type }) => OWN_CONDITIONS.includes(type));
  return {
    phase: 'Deleting',
    ...(before?.url !== undefined && { url: before.url }),
    observedGeneration,
    services: before?.services ?? [],
    ...(before?.jobs && { jobs: before.jobs }),
    ...(before?.update && { update: before.update }),
    conditions: setCondition(own, { ...part, message: message.slice(0, 32_768) }, new Date(now)),
  };
}

/** Is what stands in the status the same, as far as the operator's part goes? The server may keep lists in another order. */
export function isWritten(status: UserDeploymentStatus | undefined, own: OwnStatus): boolean {
  return isDeepStrictEqual(comparable(status ?? {}), comparable(own));
}

function comparable(status: UserDeploymentStatus): unknown {
  const { phase, url, observedGeneration, services = [], jobs = [], update, conditions = [] } = status;
  const byName = [services, jobs].map((list) => [...list].sort((a, b) => a.name.localeCompare(b.name)));
  const own = OWN_CONDITIONS.map((type) => findCondition(conditions, type));
  return { phase, url, observedGeneration, byName, update, conditions: own };
}

const HOLD_ALL = [validSpec.name, admitted.name, notPausedFirst.name];

type Part = Omit<NewCondition, 'observedGeneration'>;

function valid({ decision }: Outcome): Part {
  const objection = objectionsOf(decision, validSpec.name)[0];
  if (objection) return no(CONDITIONS.valid, objection);
  if (decision.keptClaims.length === 0) return yes(CONDITIONS.valid, 'Valid');
  const kept = decision.keptClaims.join(', ');
  const message = `no service mounts these volumes any more: ${kept}. They keep their data until the deployment is deleted or you delete them.`;
  return { ...yes(CONDITIONS.valid, 'VolumesKept'), message };
}

function delivered({ situation, decision }: Outcome): Part {
  const objection = whole(decision, HOLD_ALL) ?? joined(decision, secretsDelivered.name);
  if (objection) return no(CONDITIONS.secretsDelivered, objection);
  const needed = situation.spec?.secretKeys?.length ?? 0;
  return yes(CONDITIONS.secretsDelivered, needed > 0 ? 'Delivered' : 'NoneNeeded');
}

function servicesReady({ situation, refusals, decision }: Outcome, services: readonly ServiceStatus[]): Part {
  const type = CONDITIONS.servicesReady;
  const objection = whole(decision, HOLD_ALL) ?? joined(decision, namesFree.name);
  if (objection) return no(type, objection);
  const [refusal] = refusals.filter(({ service }) => service === undefined);
  if (refusal) return no(type, { reason: 'Refused', message: refusalText(refusal) });
  const unready = services.filter(({ state }) => state !== 'Running' && state !== 'Stopped');
  const worst = unready.find(({ state }) => state === 'Failing') ?? unready[0];
  if (worst) {
    const message = unready.map((each) => `${each.name}: ${each.message ?? each.state}`).join(' ');
    return no(type, { reason: worst.reason ?? worst.state, message });
  }
  if (services.some(({ state }) => state === 'Running')) return yes(type, 'AllReady');
  if (situation.userDeployment.spec.desired === 'stopped') {
    return no(type, { reason: 'Stopped', message: 'no service is meant to run' });
  }
  return yes(type, 'ScaledToZero');
}

function routed({ situation, decision }: Outcome): Part {
  const type = CONDITIONS.routed;
  const objection = whole(decision, HOLD_ALL) ?? routeObjection(decision);
  if (objection) return no(type, objection);
  return yes(type, situation.spec?.exposure?.length ? 'Routed' : 'NothingExposed');
}

function routeObjection(decision: Outcome['decision']): Objection | undefined {
  const conflict = objectionsOf(decision, namesFree.name).find(({ holds }) => holds.what === 'route');
  return conflict ?? joined(decision, hostsClaimed.name) ?? joined(decision, routeServed.name);
}

/** What an update waits for is what the first part says that is not as it should be. */
function updated({ situation }: Outcome, update: UpdateStatus, parts: readonly Part[]): Part {
  const { specHash, lastGood, spec } = situation;
  const unfit = parts.find(({ status }) => status !== 'True');
  const waits = spec?.desired === 'stopped' ? 'the new version runs when it is started' : unfit?.message;
  return updatedCondition(update, { runs: specHash === lastGood?.specHash, waits });
}

/** Sums up; its message is that of the first part that is not as it should be. */
function ready({ situation }: Outcome, parts: readonly Part[]): Part {
  const type = CONDITIONS.ready;
  const failed = parts.find(({ status }) => status !== 'True');
  if (situation.userDeployment.spec.desired === 'stopped' && failed?.type !== CONDITIONS.valid) {
    return no(type, { reason: 'Stopped', message: 'is stopped; start it to use it' });
  }
  return failed ? { ...failed, type } : yes(type, 'Ready');
}

function objectionsOf(decision: Outcome['decision'], check: string): readonly Objection[] {
  return decision.objections.get(check) ?? [];
}

/** The objection that holds everything, if one of these checks has it. */
function whole(decision: Outcome['decision'], checks: readonly string[]): Objection | undefined {
  return checks.flatMap((check) => objectionsOf(decision, check)).find(({ holds }) => holds.what === 'everything');
}

function joined(decision: Outcome['decision'], check: string): Objection | undefined {
  const [first, ...rest] = objectionsOf(decision, check);
  return first && { ...first, message: [first, ...rest].map(({ message }) => message).join('; ') };
}

function yes(type: string, reason: string): Part {
  return { type, status: 'True', reason, message: '' };
}

function no(type: string, { reason, message }: Pick<Objection, 'reason' | 'message'>): Part {
  return { type, status: 'False', reason, message: message.slice(0, 32_768) };
}

function merge(before: readonly Condition[], next: readonly NewCondition[], now: Date): Condition[] {
  const own = before.filter(({ type }) => OWN_CONDITIONS.includes(type));
  const merged = next.reduce((list, condition) => setCondition(list, condition, now), own);
  return OWN_CONDITIONS.flatMap((type) => findCondition(merged, type) ?? []);
}

/** Since it was last started; the phase remembers it, since a stop and a first start go through others. */
function wasReady(before: UserDeploymentStatus | undefined): boolean {
  const phases: (Phase | undefined)[] = ['Running', 'Updating'];
  if (isTrue(before?.conditions, CONDITIONS.ready) || phases.includes(before?.phase)) return true;
  return before?.phase === 'Failing' && (before.services ?? []).some(({ ready }) => ready > 0);
}

function urlOf({ situation }: Outcome, { publicScheme, publicPort }: UrlOptions): string | undefined {
  const granted = situation.userDeployment.status?.grantedHosts ?? [];
  const host = situation.spec?.exposure?.find((exposure) => granted.includes(exposure.host))?.host;
  if (host === undefined) return undefined;
  const isUsual = publicPort === undefined || publicPort === (publicScheme === 'https' ? 443 : 80);
  return `${publicScheme}://${host}${isUsual ? '' : `:${publicPort}`}`;
}
