import { API_VERSION, FINALIZER, OPERATOR_MANAGER } from '@berth/core/user-deployment';
import type { KubeClient } from '@berth/kube/client/client';
import type { Reconcile, ReconcileContext, ReconcileOutcome } from '@berth/kube/client/controller';
import { addFinalizer, hasFinalizer } from '@berth/kube/client/finalizers';
import type { KubeObject } from '@berth/kube/schema/object';
import { isKubeError } from '@berth/kube/schema/status';
import { USER_DEPLOYMENT } from '../../kubernetes/resource-types.ts';
import type { UserDeployment } from '../../kubernetes/user-deployment.ts';
import { applyChildren, prune } from './apply.ts';
import { cleanUp } from './clean-up.ts';
import { decide } from './decide.ts';
import { type GatherDependencies, gather, ownerOf } from './gather.ts';
import { letGo } from './let-go.ts';
import { deletingStatus, isWritten, type OwnStatus, statusOf, type UrlOptions } from './status.ts';
import { createStillThere } from './still-there.ts';
import { type Happening, happenings } from './transitions.ts';

/**
 * Brings what one UserDeployment wants and what stands into agreement:
 *
 *     gone -> done; going -> clean up, then let the finalizer go
 *     finalizer -> gather -> decide -> apply what differs -> prune what is unwanted -> status, if it changed
 *
 * It may end between any two writes and begin again: each write is right by itself, and the next run finds what is missing.
 */
export interface ReconcileDependencies extends Omit<GatherDependencies, 'client' | 'options'> {
  client: KubeClient;
  options: GatherDependencies['options'] & UrlOptions;
  record: (userDeployment: UserDeployment, happening: Happening) => void;
}

/** A refusal may be lifted (a quota, a policy) without any event that we see. */
const AFTER_REFUSAL_MS = 60_000;
/** What goes sends an event; this is for what does not, such as another controller's finalizer. */
const WHILE_DELETING_MS = 10_000;
/** A probe that fails becomes serious with time, and time sends no event. */
const WHILE_PROBE_FAILS_MS = 15_000;

export function createReconcile(dependencies: ReconcileDependencies): Reconcile {
  const { caches, client } = dependencies;
  return async function reconcileUserDeployment(key, context) {
    const userDeployment = caches.userDeployments.get(key);
    if (!userDeployment) return undefined;
    if (userDeployment.metadata.deletionTimestamp !== undefined) return takeDown(userDeployment, dependencies, context);
    const stillThere = createStillThere(client, ownerOf(userDeployment, caches));
    if (!hasFinalizer(userDeployment, FINALIZER)) {
      await addFinalizer(client, USER_DEPLOYMENT, { object: await stillThere(), finalizer: FINALIZER });
    }
    const situation = await gather(userDeployment, dependencies);
    const decision = decide(situation);
    for (const [check, objections] of decision.objections) context.logger.debug({ check, objections }, 'held back');
    const writing = { client, stillThere, signal: context.signal };
    const { created, refusals } = await applyChildren(decision.apply, situation.present, writing);
    await prune(decision.prune, writing);
    for (const { type, object } of created) {
      const message = `Created ${type.kind} ${object.metadata.name}`;
      dependencies.record(userDeployment, { type: 'Normal', reason: 'Created', message });
    }
    const status = statusOf({ situation, decision, refusals }, dependencies.options);
    await writeStatus(userDeployment, status, { ...dependencies, signal: context.signal });
    const probeFails = status.services?.some(({ state, reason }) => state === 'Starting' && reason === 'ProbeFailing');
    return again([decision.retryAfterMs, refusals.length > 0 && AFTER_REFUSAL_MS, probeFails && WHILE_PROBE_FAILS_MS]);
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
  if (blockers.length === 0) return letGo(client, owner);
  await writeStatus(userDeployment, deletingStatus(userDeployment, blockers, now()), { ...dependencies, signal });
  return { requeueAfterMs: WHILE_DELETING_MS };
}

/** One write, only when something of ours differs. Conditions are merged by type, so the server's stay as they are. */
async function writeStatus(
  userDeployment: UserDeployment,
  status: OwnStatus,
  { client, record, signal }: Pick<ReconcileDependencies, 'client' | 'record'> & { signal: AbortSignal },
): Promise<void> {
  if (isWritten(userDeployment.status, status)) return;
  const { name, namespace = '', uid } = userDeployment.metadata;
  const metadata = { name, namespace, ...(uid !== undefined && { uid }) };
  const object: KubeObject = { apiVersion: API_VERSION, kind: USER_DEPLOYMENT.kind, metadata, status };
  signal.throwIfAborted();
  try {
    const options = { subresource: 'status', fieldManager: OPERATOR_MANAGER, force: true, signal } as const;
    await client.apply(USER_DEPLOYMENT, object, options);
  } catch (error) {
    // Gone meanwhile: nobody is left to read it.
    if (isKubeError(error, 'NotFound')) return;
    throw error;
  }
  for (const happening of happenings(userDeployment.status, status)) record(userDeployment, happening);
}

function again(delays: readonly (number | false | undefined)[]): ReconcileOutcome {
  const wanted = delays.filter((delay) => typeof delay === 'number');
  return wanted.length > 0 ? { requeueAfterMs: Math.min(...wanted) } : undefined;
}
