import { isDeepStrictEqual } from 'node:util';
import { ANNOTATIONS, RECORD_FINALIZER, SERVER_MANAGER } from '@berth/core/user-deployment';
import { splitKey } from '@berth/kube/schema/object';
import type { Queryable, Transaction } from '../db/database.ts';
import { USER_DEPLOYMENT } from '../kubernetes/resource-types.ts';
import type { UserDeployment } from '../kubernetes/user-deployment.ts';
import { recordLiveChange } from '../live/live-changes.ts';
import { type NewActivity, recordActivity } from './activity.ts';
import { adoptResource } from './adopt-resource.ts';
import { auditObserved } from './audit-observed.ts';
import { findById, findByIdForUpdate, findByName, setAddresses, updateObserved } from './deployment-repository.ts';
import type { DeploymentView } from './deployment-row.ts';
import { getOrUndefined } from './ensure-namespace.ts';
import { finishRemoval } from './finish-removal.ts';
import { markDeleted } from './lifecycle.ts';
import type { ObserveDeps, Team } from './observe-deps.ts';
import { type ObservedState, observedState, stoppedInWords } from './observed-state.ts';
import { enqueue, isEnqueued } from './outbox.ts';
import { isEdited, recordEdit } from './record-edit.ts';
import { seenOutcome } from './revision-outcome.ts';
import { outcomeOf, settleRevision } from './revision-repository.ts';
import { admittedStatus, refusedStatus, writeServerStatus } from './server-status.ts';
import { claimHostsOf } from './spec-hosts.ts';
import { revisionOf } from './to-resource.ts';

/**
 * Brings one row in line with what is seen of its resource. Level-triggered: it compares the two as they are now.
 *
 *     row         resource     then
 *     none        there        adopt it, or say in its status why not
 *     any         going        mark the row, then let the resource go
 *     deleted     gone         end the deletion
 *     wanted      gone         it was lost with its cluster: have it made again
 *     wanted      older        the applier's work is not done: see that it is queued
 *     wanted      edited       record the edit as a revision
 *     wanted      in line      say what only we know in its status; write to the row what it says
 */
export type Outcome = { requeueAfterMs?: number } | undefined;

/** A full plan or a taken host may be free later; nothing tells us. */
const REFUSED_AGAIN_MS = 30_000;
const REMOVED_BY_KUBECTL = 'kubectl';

export async function observeResource(
  deps: ObserveDeps,
  key: string,
  cached: UserDeployment | undefined,
): Promise<Outcome> {
  const { namespace = '', name } = splitKey(key);
  const team = await findTeam(deps, namespace);
  // No team's; but our finalizer, copied there with the rest of a resource, must not keep it for ever.
  if (!team) return cached?.metadata.deletionTimestamp === undefined ? undefined : whenGoing(deps, undefined, cached);
  let row = await findByName(deps.database, team.id, name);
  if (!cached) return row && whenGone(deps, row);
  if (row && isGoneFor(row, cached)) {
    await whenGone(deps, row);
    row = await findByName(deps.database, team.id, name);
  }
  if (row && !belongs(row, cached)) return whenAnothers(deps, row, cached);
  if (cached.metadata.deletionTimestamp !== undefined) return whenGoing(deps, row, cached);
  if (!row) return whenUnknown(deps, team, cached);
  if (row.desired === 'deleted') return ensureEnqueued(deps, row);
  if (revisionOf(cached) < row.revision) await ensureEnqueued(deps, row);
  else if (isEdited(row, cached)) await recordEdit(deps, row.id, cached);
  else {
    const outcome = await sayWhatIsGranted(deps, row, cached);
    await writeWhatIsSeen(deps, row.id, cached);
    return outcome;
  }
  await writeWhatIsSeen(deps, row.id, cached);
  return undefined;
}

/** The row's own resource had another UID and is gone; this one was made under its name afterwards. */
function isGoneFor(row: DeploymentView, resource: UserDeployment): boolean {
  return row.desired === 'deleted' && row.resourceUid !== undefined && row.resourceUid !== resource.metadata.uid;
}

/** Not one that had this name before, which the copy may still show. */
function belongs(row: DeploymentView, { metadata }: UserDeployment): boolean {
  return row.resourceUid === metadata.uid || metadata.annotations?.[ANNOTATIONS.deploymentId] === row.id;
}

/** Under the name of a row that has not reached the cluster yet: an old one that is going, or one that will be taken over. */
function whenAnothers(deps: ObserveDeps, row: DeploymentView, resource: UserDeployment): Promise<Outcome> {
  if (resource.metadata.deletionTimestamp !== undefined) return whenGoing(deps, undefined, resource);
  return ensureEnqueued(deps, row);
}

async function findTeam({ database }: ObserveDeps, namespace: string): Promise<Team | undefined> {
  const [team] = await database.query<Team>('select id, organization_id, namespace from teams where namespace = $1', [
    namespace,
  ]);
  return team;
}

async function whenGone(deps: ObserveDeps, row: DeploymentView): Promise<Outcome> {
  // The copy may be behind: only the API server itself can say that something is not there.
  const at = { name: row.name, namespace: row.namespace };
  const present = await getOrUndefined(() => deps.client.get<UserDeployment>(USER_DEPLOYMENT, at));
  if (present && !isGoneFor(row, present)) return undefined;
  if (row.desired === 'deleted') {
    await finishRemoval(deps, row.id);
    return undefined;
  }
  if (!(await isEnqueued(deps.database, row.id))) {
    deps.logger.warn(at, 'a resource is missing that nobody deleted; it is made again');
  }
  return ensureEnqueued(deps, row);
}

async function whenGoing(
  deps: ObserveDeps,
  row: DeploymentView | undefined,
  resource: UserDeployment,
): Promise<Outcome> {
  if (row && row.desired !== 'deleted') {
    await deps.database.transaction(async (transaction) => {
      const locked = await findByIdForUpdate(transaction, row.id);
      if (!locked || locked.desired === 'deleted') return;
      await markDeleted(deps, transaction, { row: locked, by: REMOVED_BY_KUBECTL });
      const detail = `deleted with ${REMOVED_BY_KUBECTL}`;
      await auditObserved(transaction, locked, { action: 'deployment:delete', detail, clock: deps.clock });
    });
  }
  if (row) await writeWhatIsSeen(deps, row.id, resource);
  const { name, namespace, resourceVersion, finalizers = [] } = resource.metadata;
  if (!finalizers.includes(RECORD_FINALIZER) || namespace === undefined) return undefined;
  const kept = finalizers.filter((each) => each !== RECORD_FINALIZER);
  // With the version, so that a finalizer which somebody adds at this moment is not lost.
  const body = { metadata: { resourceVersion, finalizers: kept } };
  const at = { name, namespace };
  await getOrUndefined(() =>
    deps.client.patch(USER_DEPLOYMENT, at, { type: 'merge', body }, { fieldManager: SERVER_MANAGER }),
  );
  return undefined;
}

async function whenUnknown(deps: ObserveDeps, team: Team, cached: UserDeployment): Promise<Outcome> {
  const { name, namespace = '', uid } = cached.metadata;
  const present = await getOrUndefined(() => deps.client.get<UserDeployment>(USER_DEPLOYMENT, { name, namespace }));
  if (!present || present.metadata.uid !== uid || present.metadata.deletionTimestamp !== undefined) return undefined;
  const refusal = await adoptResource(deps, team, present);
  // The outbox entry of the new row writes to the resource, and that brings its key here again.
  if (!refusal) return undefined;
  await writeServerStatus(deps.client, present, {
    status: refusedStatus(refusal.reason, refusal.message),
    now: deps.clock(),
  });
  return { requeueAfterMs: REFUSED_AGAIN_MS };
}

async function ensureEnqueued({ database }: ObserveDeps, row: DeploymentView): Promise<undefined> {
  if (await isEnqueued(database, row.id)) return;
  await database.transaction(async (transaction) => {
    // Under the row's lock: an entry for a row that is gone by now would break the key.
    if (await findByIdForUpdate(transaction, row.id)) await enqueue(transaction, row.id);
  });
}

async function sayWhatIsGranted(deps: ObserveDeps, row: DeploymentView, resource: UserDeployment): Promise<Outcome> {
  const grant = await deps.database.transaction(async (transaction) => {
    const locked = await findByIdForUpdate(transaction, row.id);
    if (locked?.desired === 'deleted' || locked?.revision !== row.revision) return undefined;
    const claim = { spec: row.spec, deploymentId: row.id, rules: deps.hosts, at: deps.clock() };
    const result = await claimHostsOf(transaction, claim);
    const host = row.host !== undefined && result.granted.includes(row.host) ? row.host : result.granted[0];
    if (host !== row.host) {
      await setAddresses(transaction, row.id, { host, aliases: row.aliases.filter((each) => each !== host) });
      await recordLiveChange(transaction, { teamId: row.teamId, kind: 'deployment', objectId: row.id }, deps.clock);
    }
    return result;
  });
  // The row changed meanwhile, and the change brings this key here again.
  if (!grant) return undefined;
  await writeServerStatus(deps.client, resource, { status: admittedStatus(grant), now: deps.clock() });
  return grant.refused.length > 0 ? { requeueAfterMs: REFUSED_AGAIN_MS } : undefined;
}

async function writeWhatIsSeen(deps: ObserveDeps, id: string, resource: UserDeployment): Promise<void> {
  const known = await findById(deps.database, id);
  if (!known || !(differs(known, resource) || (await isUnsettled(deps.database, known, resource)))) return;
  await deps.database.transaction(async (transaction) => {
    const row = await findByIdForUpdate(transaction, id);
    if (!row) return;
    const about = { teamId: row.teamId, deploymentId: id, deploymentName: row.name };
    const stories: Story[] = [];
    const settled = await settle(deps, transaction, { row, resource });
    if (settled) stories.push(...settled);
    else if (!differs(row, resource)) return;
    const seen = observedState(row, resource);
    const { uid = '', resourceVersion = '' } = resource.metadata;
    await updateObserved(transaction, id, { ...seen, resourceUid: uid, resourceVersion });
    if (seen.phase !== row.phase) stories.push(...storyOf(row, seen, deps));
    stories.push(...jobStories(row, seen));
    for (const story of stories) await recordActivity(transaction, { ...about, ...story }, deps.clock);
    await recordLiveChange(transaction, { teamId: row.teamId, kind: 'deployment', objectId: id }, deps.clock);
  });
}

function differs(row: DeploymentView, resource: UserDeployment): boolean {
  const { phase, message, status } = observedState(row, resource);
  return (
    phase !== row.phase ||
    message !== row.message ||
    row.resourceUid !== resource.metadata.uid ||
    !isDeepStrictEqual(status, row.observed)
  );
}

type Story = Pick<NewActivity, 'kind' | 'level' | 'message' | 'service' | 'sourceKey'>;

/** Writes what became of the newest revision, once; what is to be told of it, or undefined when nothing is new. */
async function settle(
  { clock }: Pick<ObserveDeps, 'clock'>,
  transaction: Transaction,
  { row, resource }: { row: DeploymentView; resource: UserDeployment },
): Promise<Story[] | undefined> {
  const seen = seenOutcome(row, resource);
  const at = { deploymentId: row.id, revision: row.revision, now: clock() };
  if (!seen || !(await settleRevision(transaction, at, seen))) return undefined;
  if (seen.outcome !== 'failed') return [];
  const message = `${row.name}: ${stoppedInWords(row.revision, seen.message)}`;
  const sourceKey = `update ${row.id} ${seen.occurrence}`;
  return [{ kind: 'update_stopped', level: 'failure', message, service: seen.service, sourceKey }];
}

async function isUnsettled(database: Queryable, row: DeploymentView, resource: UserDeployment): Promise<boolean> {
  const seen = seenOutcome(row, resource);
  if (!seen) return false;
  const known = await outcomeOf(database, row.id, row.revision);
  return known === 'pending' || (known === 'failed' && seen.outcome === 'running');
}

function storyOf(row: DeploymentView, seen: ObservedState, { urlOf }: Pick<ObserveDeps, 'urlOf'>): Story[] {
  if (seen.phase === 'Running') {
    const where = row.host === undefined ? '' : ` at ${urlOf(row.host)}`;
    return [{ kind: 'running', level: 'ok', message: `${row.name} is running${where}` }];
  }
  if (seen.phase === 'Failing') {
    const why = seen.message === undefined ? '' : `: ${seen.message}`;
    return [{ kind: 'failing', level: 'failure', message: `${row.name} is failing${why}` }];
  }
  return [];
}

/** Of every job that came to its end since the last look. */
function jobStories(row: DeploymentView, { status }: ObservedState): Story[] {
  const before = new Map((row.observed?.jobs ?? []).map(({ name, state }) => [name, state]));
  return (status?.jobs ?? []).flatMap(({ name, state, message }): Story[] => {
    if (state === before.get(name)) return [];
    const about = { kind: 'job', service: name } as const;
    if (state === 'Succeeded') return [{ ...about, level: 'ok', message: `Job ${name} of ${row.name} succeeded` }];
    if (state !== 'Failed') return [];
    const why = message === undefined ? '' : `: ${message}`;
    return [{ ...about, level: 'failure', message: `Job ${name} of ${row.name} failed${why}` }];
  });
}
