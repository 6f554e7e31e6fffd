import type { UserDeploymentSpec } from '@berth/core/user-deployment';
import type { UserDeployment } from '../kubernetes/user-deployment.ts';
import { checkSpec, provenanceOf } from './adopt-resource.ts';
import { auditObserved } from './audit-observed.ts';
import { changeSummary } from './change-summary.ts';
import { findByIdForUpdate } from './deployment-repository.ts';
import type { DeploymentRow } from './deployment-row.ts';
import type { ObserveDeps } from './observe-deps.ts';
import { stateOf } from './present-revision.ts';
import { sameSpec } from './same-spec.ts';
import { saveChange } from './save-change.ts';
import { specAuthor } from './spec-author.ts';
import { aliasesOf, claimHostsOf } from './spec-hosts.ts';
import { revisionOf } from './to-resource.ts';

/**
 * Whether somebody changed the spec in the cluster after the row's newest revision had reached it. A resource ahead of its row is
 * one too: the database was put back from a backup, and must pass that revision before it can write again.
 */
export function isEdited(row: DeploymentRow, resource: UserDeployment): boolean {
  if (row.desired === 'deleted') return false;
  const ahead = revisionOf(resource) - row.revision;
  return ahead > 0 || (ahead === 0 && !sameSpec(row.spec, resource.spec));
}

/**
 * An edit with kubectl becomes a revision that names its field manager. What the database holds beside the spec (the form's values,
 * secrets) stays. A spec that breaks the rules is not taken: the operator says so in `Valid`, and the row keeps the last good one.
 */
export async function recordEdit(deps: ObserveDeps, id: string, resource: UserDeployment): Promise<void> {
  const spec = checkSpec(resource);
  if ('reason' in spec) return;
  const by = specAuthor(resource);
  await deps.database.transaction(async (transaction) => {
    const row = await findByIdForUpdate(transaction, id);
    // A change through the API came first: it wins, and the applier brings it to the cluster.
    if (!row || !isEdited(row, resource)) return;
    const at = deps.clock();
    const { granted } = await claimHostsOf(transaction, { spec, deploymentId: id, rules: deps.hosts, at });
    const host = row.host !== undefined && granted.includes(row.host) ? row.host : granted[0];
    const next: DeploymentRow = {
      ...row,
      ...provenanceOf(spec),
      spec,
      desired: spec.desired ?? 'running',
      paused: spec.paused ?? false,
      host,
      aliases: aliasesOf(spec, { host, before: row }),
      replicas: { ...row.replicas, ...changedReplicas(row.spec, spec) },
      revision: Math.max(row.revision, revisionOf(resource)) + 1,
      updatedAt: at,
    };
    const summary = changeSummary({ before: stateOf(row), after: stateOf(next), changedSecrets: [] });
    const activity = { kind: 'changed', level: 'info', message: `${row.name}: ${summary}` } as const;
    await saveChange(transaction, next, { clock: deps.clock, story: { summary, by, activity } });
    await auditObserved(transaction, row, {
      action: 'deployment:update',
      detail: `${by}: ${summary}`,
      clock: deps.clock,
    });
    deps.logger.info({ namespace: row.namespace, name: row.name, by }, 'edit in the cluster recorded');
  });
}

/** Numbers of pods that were changed by hand hold when the spec is rendered anew. */
function changedReplicas(before: UserDeploymentSpec, after: UserDeploymentSpec): Record<string, number> {
  const old = new Map(before.services.map(({ name, replicas = 1 }) => [name, replicas]));
  const changed = after.services.filter(({ name, replicas = 1 }) => old.has(name) && old.get(name) !== replicas);
  return Object.fromEntries(changed.map(({ name, replicas = 1 }) => [name, replicas]));
}
