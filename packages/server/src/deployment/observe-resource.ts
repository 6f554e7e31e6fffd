import { ANNOTATIONS, RECORD_FINALIZER, SERVER_MANAGER } from '@berth/core/user-deployment';
import { splitKey } from '@berth/kube/schema/object';
import { USER_DEPLOYMENT } from '../kubernetes/resource-types.ts';
import type { UserDeployment } from '../kubernetes/user-deployment.ts';
import { recordLiveChange } from '../live/live-changes.ts';
import { adoptResource } from './adopt-resource.ts';
import { auditObserved } from './audit-observed.ts';
import { findByIdForUpdate, findByName, setAddresses } from './deployment-repository.ts';
import type { DeploymentView } from './deployment-row.ts';
import { getOrUndefined } from './ensure-namespace.ts';
import { finishRemoval } from './finish-removal.ts';
import { markDeleted } from './lifecycle.ts';
import type { ObserveDeps, Team } from './observe-deps.ts';
import { enqueue, isEnqueued } from './outbox.ts';
import { isEdited, recordEdit } from './record-edit.ts';
import { admittedStatus, refusedStatus, writeServerStatus } from './server-status.ts';
import { claimHostsOf } from './spec-hosts.ts';
import { revisionOf } from './to-resource.ts';
import { writeWhatIsSeen } from './write-what-is-seen.ts';

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
