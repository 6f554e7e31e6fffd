import type { Revision } from '@berth/core/deployment';
import type { ParameterValue } from '@berth/core/parameter';
import type { UserDeploymentSpec } from '@berth/core/user-deployment';
import type { Queryable, Transaction } from '../db/database.ts';
import type { DeploymentRow } from './deployment-row.ts';

/** A row of `revisions`: all that the deployment was, and what became of it. */
export interface RevisionRow {
  revision: number;
  summary: string;
  spec: UserDeploymentSpec;
  parameterValues: Record<string, ParameterValue>;
  templateName?: string;
  templateVersion?: string;
  displayName?: string;
  host?: string;
  aliases: string[];
  replicas: Record<string, number>;
  changedSecrets: string[];
  madeBy: string;
  createdAt: Date;
  outcome: Revision['outcome'];
  outcomeMessage?: string;
}

/** Without the spec and what goes with it, for lists. */
export type RevisionHead = Pick<
  RevisionRow,
  'revision' | 'summary' | 'madeBy' | 'createdAt' | 'templateName' | 'templateVersion' | 'outcome' | 'outcomeMessage'
>;

const HEAD = 'revision, summary, made_by, created_at, template_name, template_version, outcome, outcome_message';
const MOST_LISTED = 500;

/** What was pending before it will never be known: a later one is wanted now. */
export async function insertRevision(
  transaction: Transaction,
  row: DeploymentRow,
  made: { summary: string; by: string; changedSecrets?: Iterable<string> },
): Promise<void> {
  await transaction.execute(
    "update revisions set outcome = 'replaced', finished_at = $2 where deployment_id = $1 and outcome = 'pending'",
    [row.id, row.updatedAt],
  );
  await transaction.execute(
    `insert into revisions (deployment_id, revision, summary, spec, parameter_values, made_by, created_at, template_name,
       template_version, display_name, host, aliases, replicas, changed_secrets)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
    [
      row.id,
      row.revision,
      made.summary,
      JSON.stringify(row.spec),
      JSON.stringify(row.parameterValues),
      made.by,
      row.updatedAt,
      row.templateName,
      row.templateVersion,
      row.displayName,
      row.host,
      JSON.stringify(row.aliases),
      JSON.stringify(row.replicas),
      JSON.stringify([...(made.changedSecrets ?? [])]),
    ],
  );
}

/** Newest first. */
export async function listRevisions(queryable: Queryable, deploymentId: string): Promise<RevisionHead[]> {
  return queryable.query<RevisionHead>(
    `select ${HEAD} from revisions where deployment_id = $1 order by revision desc limit ${MOST_LISTED}`,
    [deploymentId],
  );
}

export async function newestThatRan(
  queryable: Queryable,
  deploymentId: string,
): Promise<{ revision: number; stopped: boolean } | undefined> {
  const [row] = await queryable.query<{ revision: number; stopped: boolean }>(
    `select revision, coalesce(spec->>'desired', 'running') = 'stopped' as stopped from revisions
     where deployment_id = $1 and outcome = 'running' order by revision desc limit 1`,
    [deploymentId],
  );
  return row;
}

export async function findRevision(
  queryable: Queryable,
  deploymentId: string,
  revision: number,
): Promise<RevisionRow | undefined> {
  const [row] = await queryable.query<RevisionRow>(
    'select * from revisions where deployment_id = $1 and revision = $2',
    [deploymentId, revision],
  );
  return row;
}

export async function findRevisionBefore(
  queryable: Queryable,
  deploymentId: string,
  revision: number,
): Promise<RevisionRow | undefined> {
  const [row] = await queryable.query<RevisionRow>(
    'select * from revisions where deployment_id = $1 and revision < $2 order by revision desc limit 1',
    [deploymentId, revision],
  );
  return row;
}

/** Names of the secrets that got a value after the one and up to the other. */
export async function secretsChangedBetween(
  queryable: Queryable,
  deploymentId: string,
  [after, upTo]: readonly [number, number],
): Promise<string[]> {
  const rows = await queryable.query<{ name: string }>(
    `select distinct name from revisions, jsonb_array_elements_text(changed_secrets) as name
     where deployment_id = $1 and revision > $2 and revision <= $3 order by name`,
    [deploymentId, after, upTo],
  );
  return rows.map(({ name }) => name);
}

export interface SettledOutcome {
  outcome: 'running' | 'failed';
  message?: string | undefined;
}

/** Writes what became of a revision. What ran once has run; false when nothing is new. */
export async function settleRevision(
  transaction: Transaction,
  at: { deploymentId: string; revision: number; now: Date },
  { outcome, message }: SettledOutcome,
): Promise<boolean> {
  const touched = await transaction.execute(
    `update revisions set outcome = $3, outcome_message = $4, finished_at = $5
     where deployment_id = $1 and revision = $2 and outcome <> $3 and outcome in ('pending', 'failed')`,
    [at.deploymentId, at.revision, outcome, message, at.now],
  );
  return touched > 0;
}

export async function outcomeOf(
  queryable: Queryable,
  deploymentId: string,
  revision: number,
): Promise<Revision['outcome'] | undefined> {
  const [row] = await queryable.query<Pick<RevisionRow, 'outcome'>>(
    'select outcome from revisions where deployment_id = $1 and revision = $2',
    [deploymentId, revision],
  );
  return row?.outcome;
}

export async function countRevisions(queryable: Queryable, deploymentId: string): Promise<number> {
  const [row] = await queryable.query<{ count: number }>(
    'select count(*) as count from revisions where deployment_id = $1',
    [deploymentId],
  );
  return row?.count ?? 0;
}
