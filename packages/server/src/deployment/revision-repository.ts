import type { Revision } from '@berth/core/deployment';
import type { Queryable, Transaction } from '../db/database.ts';
import type { DeploymentRow } from './deployment-row.ts';

export async function insertRevision(
  transaction: Transaction,
  row: DeploymentRow,
  made: { summary: string; by: string },
): Promise<void> {
  await transaction.execute(
    `insert into revisions (deployment_id, revision, summary, spec, parameter_values, made_by, created_at)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [
      row.id,
      row.revision,
      made.summary,
      JSON.stringify(row.spec),
      JSON.stringify(row.parameterValues),
      made.by,
      row.updatedAt,
    ],
  );
}

/** Newest first. */
export async function listRevisions(queryable: Queryable, deploymentId: string): Promise<Revision[]> {
  const rows = await queryable.query<
    Pick<Revision, 'revision' | 'summary' | 'outcome'> & { madeBy: string; createdAt: Date; outcomeMessage?: string }
  >(
    `select revision, summary, made_by, created_at, outcome, outcome_message from revisions
     where deployment_id = $1 order by revision desc limit 500`,
    [deploymentId],
  );
  return rows.map(({ madeBy, createdAt, outcomeMessage, ...row }, index) => ({
    ...row,
    by: madeBy,
    createdAt: createdAt.toISOString(),
    ...(outcomeMessage !== undefined && { message: outcomeMessage }),
    current: index === 0,
    serving: index === 0 && row.outcome === 'running',
  }));
}

export async function countRevisions(queryable: Queryable, deploymentId: string): Promise<number> {
  const [row] = await queryable.query<{ count: number }>(
    'select count(*) as count from revisions where deployment_id = $1',
    [deploymentId],
  );
  return row?.count ?? 0;
}
