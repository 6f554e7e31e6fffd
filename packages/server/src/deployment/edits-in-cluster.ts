import { isBerthError } from '@berth/core/errors';
import type { UserDeploymentSpec } from '@berth/core/user-deployment';
import type { Queryable } from '../db/database.ts';
import { toTemplate } from '../template/find-template.ts';
import { findTemplateVersion } from '../template/repository.ts';
import { carryOver } from './carry-over.ts';
import type { DeploymentDeps } from './deployment-deps.ts';
import type { DeploymentRow } from './deployment-row.ts';
import { draftDeployment } from './draft.ts';
import { compareRevisions, type Difference } from './revision-changes.ts';

/**
 * A spec that was edited with kubectl differs from what its template and values give. The next change of a value renders it anew, and
 * with that the edit is gone: nobody should have to find that out, so the revision says it.
 */
export async function editsInCluster(
  deps: Pick<DeploymentDeps, 'urlOf' | 'generateSecret'>,
  queryable: Queryable,
  { row, stored }: { row: DeploymentRow; stored: ReadonlyMap<string, number> },
): Promise<Difference[]> {
  const { templateName: name, templateVersion: version, host, aliases, replicas } = row;
  if (name === undefined || version === undefined) return [];
  const template = await findTemplateVersion(queryable, { name, version, teamId: row.teamId });
  if (!template) return [];
  try {
    const { spec } = draftDeployment({
      template: toTemplate(template),
      name: row.name,
      displayName: row.displayName,
      host,
      url: host === undefined ? undefined : deps.urlOf(host),
      aliases,
      values: row.parameterValues,
      replicas,
      stored,
      generateSecret: deps.generateSecret,
    });
    return between(carryOver(spec, row.spec), row.spec);
  } catch (error) {
    // Its own values no longer fit its own version: then nothing can be said of what was edited.
    if (isBerthError(error)) return [];
    throw error;
  }
}

/** Which edits do not survive a change. */
export function undoneEdits(
  edits: readonly Difference[],
  { before, after }: { before: UserDeploymentSpec; after: UserDeploymentSpec },
): Difference[] {
  const changed = new Set(between(before, after).map(keyOf));
  return edits.filter((edit) => changed.has(keyOf(edit)));
}

function between(before: UserDeploymentSpec, after: UserDeploymentSpec): Difference[] {
  const values = {};
  return compareRevisions({ before: { spec: before, values }, after: { spec: after, values }, changedSecrets: [] });
}

function keyOf({ subject, field, name }: Difference): string {
  return `${subject}/${field}/${name}`;
}
