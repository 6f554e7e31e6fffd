import { isDeepStrictEqual } from 'node:util';
import type { Queryable, Transaction } from '../db/database.ts';
import type { UserDeployment } from '../kubernetes/user-deployment.ts';
import { recordLiveChange } from '../live/live-changes.ts';
import { recordActivity } from './activity.ts';
import { findById, findByIdForUpdate, updateObserved } from './deployment-repository.ts';
import type { DeploymentView } from './deployment-row.ts';
import type { ObserveDeps } from './observe-deps.ts';
import { observedState } from './observed-state.ts';
import { jobStories, phaseStories, type Story, stopStory } from './observed-stories.ts';
import { seenOutcome } from './revision-outcome.ts';
import { outcomeOf, settleRevision } from './revision-repository.ts';

/** Writes to the row what its resource says, and what became of its newest revision: once, when something is new. */
export async function writeWhatIsSeen(deps: ObserveDeps, id: string, resource: UserDeployment): Promise<void> {
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
    if (seen.phase !== row.phase) stories.push(...phaseStories(row, seen, deps));
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

/** Writes what became of the newest revision, once; what is to be told of it, or undefined when nothing is new. */
async function settle(
  { clock }: Pick<ObserveDeps, 'clock'>,
  transaction: Transaction,
  { row, resource }: { row: DeploymentView; resource: UserDeployment },
): Promise<Story[] | undefined> {
  const seen = seenOutcome(row, resource);
  const at = { deploymentId: row.id, revision: row.revision, now: clock() };
  if (!seen || !(await settleRevision(transaction, at, seen))) return undefined;
  return seen.outcome === 'failed' ? [stopStory(row, seen)] : [];
}

async function isUnsettled(database: Queryable, row: DeploymentView, resource: UserDeployment): Promise<boolean> {
  const seen = seenOutcome(row, resource);
  if (!seen) return false;
  const known = await outcomeOf(database, row.id, row.revision);
  return known === 'pending' || (known === 'failed' && seen.outcome === 'running');
}
