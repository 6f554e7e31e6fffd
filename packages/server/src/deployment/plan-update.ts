import { isDeepStrictEqual } from 'node:util';
import type { UpdateDeployment } from '@berth/core/deployment';
import type { UserDeploymentSpec } from '@berth/core/user-deployment';
import type { Queryable } from '../db/database.ts';
import type { Addresses } from './addresses.ts';
import { carryOver } from './carry-over.ts';
import type { DeploymentDeps } from './deployment-deps.ts';
import type { DeploymentRow, DeploymentView } from './deployment-row.ts';
import { refuseOversizedResource } from './draft.ts';
import { undoneEdits } from './edits-in-cluster.ts';
import { phaseOfChange } from './lock-for-change.ts';
import { refuseLostVolumes } from './lost-volumes.ts';
import { plain } from './plain.ts';
import { refuseGrowthOverPlan } from './plan-resources.ts';
import { stateOf } from './present-revision.ts';
import { redraft } from './redraft.ts';
import type { Comparison, Difference } from './revision-changes.ts';
import { toResource } from './to-resource.ts';

/** All that an update would change, before anything is written: so that a preview and the update itself cannot differ. */
export interface UpdatePlan {
  next: DeploymentRow;
  addresses: Addresses;
  /** To be stored. */
  secrets: ReadonlyMap<string, string>;
  comparison: Comparison;
  /** Edits in the cluster that do not survive it. */
  undone: Difference[];
  /** It would change nothing. */
  same: boolean;
}

/** Throws for everything that is wrong with it, but for addresses that others have. */
export async function planUpdate(
  deps: DeploymentDeps,
  queryable: Queryable,
  { row, body }: { row: DeploymentView; body: UpdateDeployment },
): Promise<UpdatePlan> {
  const displayName = body.displayName === undefined ? row.displayName : body.displayName || undefined;
  const { draft, addresses, edits } = await redraft(deps, queryable, { row, body, displayName });
  refuseLostVolumes(row.spec, draft.spec);
  const { values, secrets } = draft;
  const revision = row.revision + 1;
  const spec: UserDeploymentSpec = {
    ...carryOver(draft.spec, row.spec),
    ...(secrets.size > 0 && { secretVersion: String(revision) }),
  };
  const next: DeploymentRow = {
    ...row,
    ...addresses,
    displayName,
    spec,
    parameterValues: values,
    templateVersion: spec.template?.version,
    revision,
    phase: phaseOfChange(row),
    updatedAt: deps.clock(),
  };
  const comparison = { before: stateOf(row), after: stateOf(next), changedSecrets: [...secrets.keys()] };
  const same = isDeepStrictEqual(plain(comparison.before), plain(comparison.after));
  const undone = undoneEdits(edits, { before: row.spec, after: spec });
  if (!same) {
    refuseOversizedResource(toResource(next, row.namespace));
    await refuseGrowthOverPlan(queryable, { before: row, after: next });
  }
  return { next, addresses, secrets, comparison, undone, same };
}
