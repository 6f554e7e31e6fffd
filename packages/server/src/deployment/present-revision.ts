import type { Revision, RevisionDetail } from '@berth/core/deployment';
import { BerthError } from '@berth/core/errors';
import type { Queryable } from '../db/database.ts';
import { findTemplateVersion } from '../template/repository.ts';
import type { DeploymentRow } from './deployment-row.ts';
import { compareRevisions, type RevisionState } from './revision-changes.ts';
import {
  findRevision,
  findRevisionBefore,
  listRevisions,
  newestThatRan,
  type RevisionHead,
  type RevisionRow,
  secretsChangedBetween,
} from './revision-repository.ts';

/** Newest first. */
export async function presentRevisions(queryable: Queryable, row: DeploymentRow): Promise<Revision[]> {
  const heads = await listRevisions(queryable, row.id);
  const serving = await servingRevision(queryable, row);
  return heads.map((head) => presentHead(head, { current: row.revision, serving }));
}

/** Compared with another revision, or with the one before it. */
export async function presentRevision(
  queryable: Queryable,
  row: DeploymentRow,
  asked: { revision: number; against?: number | undefined },
): Promise<RevisionDetail> {
  const revision = await requireRevision(queryable, row, asked.revision);
  const other =
    asked.against === undefined
      ? await findRevisionBefore(queryable, row.id, asked.revision)
      : await requireRevision(queryable, row, asked.against);
  const { parameterValues: values, host } = revision;
  return {
    ...presentHead(revision, { current: row.revision, serving: await servingRevision(queryable, row) }),
    ...(other && { against: other.revision }),
    changes: other ? await changesBetween(queryable, row, [other, revision]) : [],
    values,
    ...(host !== undefined && { host }),
  };
}

export async function requireRevision(
  queryable: Queryable,
  row: Pick<DeploymentRow, 'id' | 'name'>,
  revision: number,
): Promise<RevisionRow> {
  const found = await findRevision(queryable, row.id, revision);
  if (found) return found;
  throw new BerthError('not_found', `${row.name} has no revision ${revision}; see the list of its revisions.`);
}

export function stateOf(of: RevisionRow | DeploymentRow): RevisionState {
  const { displayName, aliases, spec, parameterValues: values } = of;
  // One that waits for its host wants it all the same.
  return { displayName, host: of.host ?? spec.exposure?.[0]?.host, aliases, spec, values };
}

async function changesBetween(
  queryable: Queryable,
  row: DeploymentRow,
  [before, after]: readonly [RevisionRow, RevisionRow],
): Promise<RevisionDetail['changes']> {
  const [older, newer] = [before.revision, after.revision].sort((a, b) => a - b) as [number, number];
  const changedSecrets = await secretsChangedBetween(queryable, row.id, [older, newer]);
  const { teamId } = row;
  const labels = new Map([
    ...(await labelsOf(queryable, { ...before, teamId })),
    ...(await labelsOf(queryable, { ...after, teamId })),
  ]);
  const differences = compareRevisions({ before: stateOf(before), after: stateOf(after), changedSecrets, labels });
  return differences.map(({ topic: _topic, name: _name, ...change }) => change);
}

/** How the form of a template calls its parameters. */
export async function labelsOf(
  queryable: Queryable,
  of: { templateName?: string | undefined; templateVersion?: string | undefined; teamId: string },
): Promise<Map<string, string>> {
  const { templateName: name, templateVersion: version, teamId } = of;
  if (name === undefined || version === undefined) return new Map();
  const template = await findTemplateVersion(queryable, { name, version, teamId });
  return new Map((template?.spec.parameters ?? []).map((each) => [each.name, each.label]));
}

/**
 * What runs: while an update is under way, stopped or paused the operator says which; else the newest that ran, unless it was
 * wanted stopped.
 */
async function servingRevision(queryable: Queryable, row: DeploymentRow): Promise<number | undefined> {
  if (row.desired !== 'running') return undefined;
  const update = row.observed?.update;
  if (update && update.state !== 'complete' && update.servingRevision !== undefined) {
    return Number(update.servingRevision);
  }
  const ran = await newestThatRan(queryable, row.id);
  return ran?.stopped ? undefined : ran?.revision;
}

function presentHead(
  head: RevisionHead,
  { current, serving }: { current: number; serving: number | undefined },
): Revision {
  const { templateName: name, templateVersion: version } = head;
  return {
    revision: head.revision,
    summary: head.summary,
    by: head.madeBy,
    createdAt: head.createdAt.toISOString(),
    ...(name !== undefined && version !== undefined && { template: { name, version } }),
    outcome: head.outcome,
    ...(head.outcomeMessage !== undefined && { message: head.outcomeMessage }),
    current: head.revision === current,
    serving: head.revision === serving,
  };
}
