import { isDeepStrictEqual } from 'node:util';
import { BerthError, type FieldError, invalidInput } from '@berth/core/errors';
import type { UserDeploymentSpec } from '@berth/core/user-deployment';
import type { Transaction } from '../db/database.ts';
import { carryOver } from './carry-over.ts';
import type { DeploymentDeps } from './deployment-deps.ts';
import type { DeploymentRow, DeploymentView } from './deployment-row.ts';
import { refuseOversizedResource } from './draft.ts';
import type { ChangeRequest } from './lifecycle.ts';
import { lockForChange, phaseOfChange, toldOfChange } from './lock-for-change.ts';
import { refuseLostVolumes } from './lost-volumes.ts';
import { plain } from './plain.ts';
import { refuseGrowthOverPlan } from './plan-resources.ts';
import { requireRevision, stateOf } from './present-revision.ts';
import { saveChange } from './save-change.ts';
import { claimHostsOf } from './spec-hosts.ts';
import { toResource } from './to-resource.ts';

/**
 * A new revision that says what an earlier one said: spec, values, version, addresses and numbers of pods. Secrets and volumes stay as
 * they are today, and so does whether it runs or is paused. What cannot come back is refused by name, and then nothing has changed.
 */
export async function rollBackDeployment(
  deps: DeploymentDeps,
  transaction: Transaction,
  request: ChangeRequest & { body: { revision: number } },
): Promise<void> {
  const row = await lockForChange(transaction, request.id, request.ifRevision);
  const { revision } = request.body;
  if (revision === row.revision) {
    throw new BerthError(
      'conflict',
      `Revision ${revision} is what ${row.name} should be already; choose an earlier one.`,
    );
  }
  const earlier = await requireRevision(transaction, row, revision);
  const spec = plain(carryOver(earlier.spec, row.spec));
  refuseLostVolumes(row.spec, spec);
  refuseLostSecrets(row, spec);
  const { displayName, templateName, templateVersion, aliases, replicas, parameterValues } = earlier;
  const { host } = stateOf(earlier);
  const next: DeploymentRow = {
    ...row,
    displayName,
    host,
    templateName,
    templateVersion,
    aliases,
    replicas,
    parameterValues,
    spec,
    revision: row.revision + 1,
    phase: phaseOfChange(row),
    updatedAt: deps.clock(),
  };
  if (isDeepStrictEqual(plain(stateOf(row)), plain(stateOf(next)))) return;
  refuseOversizedResource(toResource(next, row.namespace));
  await refuseGrowthOverPlan(transaction, { before: row, after: next });
  const message = toldOfChange(row, `${row.name} was rolled back to revision ${revision}`);
  await saveChange(transaction, next, {
    clock: deps.clock,
    story: {
      summary: `rolled back to ${revision}`,
      by: request.author.email,
      activity: { kind: 'rolled_back', level: 'info', message },
    },
    beforeTelling: () => takeHosts(deps, transaction, { row, next }),
  });
}

/** A key without a value would keep its services waiting for ever. */
function refuseLostSecrets(row: DeploymentView, spec: UserDeploymentSpec): void {
  const stored = new Set(row.secretKeys);
  const lost: FieldError[] = (spec.secretKeys ?? [])
    .filter((key) => !stored.has(key))
    .map((key) => ({ path: `secrets.${key}`, message: 'has no value any more; set it, then roll back' }));
  if (lost.length > 0) throw invalidInput('The rollback', lost);
}

/** What it asks for today it may be waiting for; an address that it gave up may be somebody else's by now. */
async function takeHosts(
  deps: DeploymentDeps,
  transaction: Transaction,
  { row, next }: { row: DeploymentRow; next: DeploymentRow },
): Promise<void> {
  const claim = { spec: next.spec, deploymentId: row.id, rules: deps.hosts, at: deps.clock() };
  const { refused } = await claimHostsOf(transaction, claim);
  const today = new Set((row.spec.exposure ?? []).map(({ host }) => host));
  const [lost] = refused.filter(({ host }) => !today.has(host));
  if (!lost) return;
  throw new BerthError(
    'host_taken',
    `That revision answered at ${lost.host}, which ${row.name} can no longer have: ${lost.message}. Bring back its version and values with an edit instead.`,
    { fields: [{ path: 'revision', message: lost.message }] },
  );
}
