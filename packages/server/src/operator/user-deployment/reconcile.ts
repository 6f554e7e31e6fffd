import { findCondition } from '@berth/core/conditions';
import { CONDITIONS, FINALIZER } from '@berth/core/user-deployment';
import type { KubeClient } from '@berth/kube/client/client';
import type { Reconcile, ReconcileContext, ReconcileOutcome } from '@berth/kube/client/controller';
import { addFinalizer, hasFinalizer } from '@berth/kube/client/finalizers';
import { KubeError } from '@berth/kube/schema/status';
import { USER_DEPLOYMENT } from '../../kubernetes/resource-types.ts';
import type { UserDeployment } from '../../kubernetes/user-deployment.ts';
import type { Arrivals } from '../arrivals.ts';
import { type Applied, applyChildren, prune } from './apply.ts';
import { cleanUp } from './clean-up.ts';
import { type Decision, decide } from './decide.ts';
import { type Child, childKey } from './desired/child.ts';
import { courseOf } from './effective-spec.ts';
import { type GatherDependencies, gather, ownerOf, versionsOf } from './gather.ts';
import { isBehind, isGood, keepGood } from './keep-good.ts';
import { letGo } from './let-go.ts';
import type { Situation } from './situation.ts';
import { deletingStatus, statusOf, type UrlOptions } from './status.ts';
import { createStillThere, type StillThere } from './still-there.ts';
import { linesOfFailedJobs, refusalFailure, stopUpdate } from './stop-update.ts';
import type { Happening } from './transitions.ts';
import { updateVerdict } from './update-failure.ts';
import { writeStatus } from './write-status.ts';

/**
 * Brings what one UserDeployment wants and what stands into agreement:
 *
 *     gone -> done; going -> clean up, then let the finalizer go
 *     finalizer -> gather -> has the update failed? then say so, and the next run goes back
 *               -> decide -> apply what differs -> prune what is unwanted -> keep a version that is good
 *               -> status, if it changed
 *
 * It may end between any two writes and begin again: each write is right by itself, and the next run finds what is missing.
 */
export interface ReconcileDependencies extends Omit<GatherDependencies, 'client' | 'options'> {
  client: KubeClient;
  options: GatherDependencies['options'] & UrlOptions;
  arrivals: Arrivals;
  record: (userDeployment: UserDeployment, happening: Happening) => void;
}

/** A refusal may be lifted (a quota, a policy) without any event that we see. */
const AFTER_REFUSAL_MS = 60_000;
/** What goes sends an event; this is for what does not, such as another controller's finalizer. */
const WHILE_DELETING_MS = 10_000;
/** A probe that fails becomes serious with time, and time sends no event. */
const WHILE_PROBE_FAILS_MS = 15_000;

const FRESH_MS = 2_000;
const AFTER_MAKING_MS = 100;

export function createReconcile(dependencies: ReconcileDependencies): Reconcile {
  const { caches, client } = dependencies;
  return async function reconcileUserDeployment(key, context) {
    const known = caches.userDeployments.get(key);
    if (!known) return undefined;
    if (known.metadata.deletionTimestamp !== undefined) return takeDown(known, dependencies, context);
    if (isFresh(known, dependencies.now())) return { requeueAfterMs: FRESH_MS };
    const guarded = hasFinalizer(known, FINALIZER) ? undefined : await guard(known, client, context.signal);
    const userDeployment = guarded ?? known;
    const stillThere = createStillThere(client, ownerOf(known, caches), guarded);
    const within = { ...dependencies, stillThere, signal: context.signal };
    const first = await gather(userDeployment, dependencies);
    const verdict = updateVerdict(first);
    if (verdict.failure) return stopUpdate(first, verdict.failure, within);
    const { situation, decision, created, refusals } = await makeAgree(first, within);
    for (const [check, objections] of decision.objections) context.logger.debug({ check, objections }, 'held back');
    const refused = refusalFailure(situation, refusals);
    if (refused) return stopUpdate(situation, refused, within);
    await prune(decision.prune, within);
    if (created.length > 0 && refusals.length === 0) return tellMade(created, userDeployment, within);
    const settled = await keepIfGood(situation, decision, within);
    const jobLines = await linesOfFailedJobs(settled, within);
    const status = statusOf({ situation: settled, decision, refusals, jobLines }, dependencies.options);
    await writeStatus(userDeployment, status, within);
    const probeFails = status.services?.some(({ state, reason }) => state === 'Starting' && reason === 'ProbeFailing');
    return again([
      decision.retryAfterMs,
      verdict.againInMs,
      refusals.length > 0 && AFTER_REFUSAL_MS,
      probeFails && WHILE_PROBE_FAILS_MS,
    ]);
  };
}

/** Nobody waits for a word about what was made this instant, and the platform's own about it is on its way. */
function isFresh({ metadata, status }: UserDeployment, now: number): boolean {
  if (status?.observedGeneration !== undefined || findCondition(status?.conditions, CONDITIONS.admitted)) return false;
  const age = now - Date.parse(metadata.creationTimestamp ?? '');
  // By the server's clock, which may be another.
  return age >= 0 && age < FRESH_MS;
}

/** With our finalizer, before anything is made. The server compares the version: nothing newer is there, so it is not going. */
function guard(known: UserDeployment, client: KubeClient, signal: AbortSignal): Promise<UserDeployment> {
  return addFinalizer(client, USER_DEPLOYMENT, { object: known, finalizer: FINALIZER, signal });
}

type Within = ReconcileDependencies & { stillThere: StillThere; signal: AbortSignal };

/** What has just begun says nothing yet: the next look tells of it and of what has come of it meanwhile, in one write. */
async function tellMade(
  made: readonly Child[],
  userDeployment: UserDeployment,
  { record, arrivals, signal }: Within,
): Promise<ReconcileOutcome> {
  const message = `Created ${made.map(({ type, object }) => `${type.kind} ${object.metadata.name}`).join(', ')}`;
  record(userDeployment, { type: 'Normal', reason: 'Created', message });
  await arrivals.of(made, signal);
  return { requeueAfterMs: AFTER_MAKING_MS };
}

interface Agreement extends Omit<Applied, 'taken'> {
  situation: Situation;
  decision: Decision;
}

/** A name that no cache knows is taken to be free, and the server says when it is not: then that is looked at and decided anew. */
async function makeAgree(first: Situation, within: Within): Promise<Agreement> {
  const { userDeployment } = first;
  const known = new Set<string>();
  const created: Child[] = [];
  for (let situation = first; ; situation = await gather(userDeployment, within, known)) {
    const decision = decide(situation);
    const applied = await applyChildren(decision.apply, situation.present, within);
    created.push(...applied.created);
    const found = applied.taken.map(({ type, object }) => childKey(type, object.metadata.name));
    if (found.length === 0) return { situation, decision, created, refusals: applied.refusals };
    const again = found.find((key) => known.has(key));
    if (again !== undefined) throw new KubeError(409, 'Conflict', `${again} comes and goes`);
    for (const key of found) known.add(key);
  }
}

/** The situation as it is once the version that has become good is recorded. */
async function keepIfGood(situation: Situation, decision: Decision, within: Within): Promise<Situation> {
  const { owner, specHash } = situation;
  const versions = versionsOf(owner, `${owner.namespace}/${owner.name}`, within.caches);
  if (!isGood(situation, decision)) {
    if (isBehind(situation, versions)) await keepGood(situation, { ...within, versions });
    return situation;
  }
  const lastGood = await keepGood(situation, { ...within, versions });
  const { wanted, userDeployment } = situation;
  return {
    ...situation,
    lastGood,
    course: courseOf({ wanted, specHash, lastGood, update: userDeployment.status?.update }),
  };
}

async function takeDown(
  userDeployment: UserDeployment,
  dependencies: ReconcileDependencies,
  { signal }: ReconcileContext,
): Promise<ReconcileOutcome> {
  if (!hasFinalizer(userDeployment, FINALIZER)) return undefined;
  const { client, caches, now } = dependencies;
  const owner = ownerOf(userDeployment, caches);
  const blockers = await cleanUp(owner, { client, signal });
  if (blockers.length === 0) return letGo(client, owner, signal);
  await writeStatus(userDeployment, deletingStatus(userDeployment, blockers, now()), { ...dependencies, signal });
  return { requeueAfterMs: WHILE_DELETING_MS };
}

function again(delays: readonly (number | false | undefined)[]): ReconcileOutcome {
  const wanted = delays.filter((delay) => typeof delay === 'number');
  return wanted.length > 0 ? { requeueAfterMs: Math.min(...wanted) } : undefined;
}
