import type { Phase, UserDeploymentStatus } from '@berth/core/user-deployment';
import type { Queryable, Transaction } from '../db/database.ts';
import type { DeploymentRow, DeploymentView } from './deployment-row.ts';

/** SQL on `deployments`. Callers have decided already; what is locked is said by the name. */
const VIEW = `
  select d.*, t.namespace, o.attempts as apply_attempts, o.last_error as apply_error,
    array(select s.key from secrets s where s.team_id = d.team_id and s.path = d.id order by s.key) as secret_keys
  from deployments d join teams t on t.id = d.team_id left join outbox o on o.deployment_id = d.id`;

export interface ListFilter {
  teamId: string;
  limit: number;
  /** The name after which the page starts. */
  after?: string | undefined;
  name?: string | undefined;
  /** Part of a name, display name or host. */
  q?: string | undefined;
  phase?: string | undefined;
}

export async function findById(queryable: Queryable, id: string): Promise<DeploymentView | undefined> {
  const [row] = await queryable.query<DeploymentView>(`${VIEW} where d.id = $1`, [id]);
  return row;
}

export async function findByName(
  queryable: Queryable,
  teamId: string,
  name: string,
): Promise<DeploymentView | undefined> {
  const [row] = await queryable.query<DeploymentView>(`${VIEW} where d.team_id = $1 and d.name = $2`, [teamId, name]);
  return row;
}

export async function findManyById(queryable: Queryable, ids: readonly string[]): Promise<DeploymentView[]> {
  return queryable.query<DeploymentView>(`${VIEW} where d.id = any($1)`, [ids]);
}

export async function list(queryable: Queryable, filter: ListFilter): Promise<DeploymentView[]> {
  const pattern = filter.q === undefined ? undefined : `%${filter.q.replaceAll(/[\\%_]/g, '\\$&')}%`;
  return queryable.query<DeploymentView>(
    `${VIEW} where d.team_id = $1
      and ($2::text is null or d.name > $2) and ($3::text is null or d.name = $3)
      and ($4::text is null or d.name ilike $4 or d.display_name ilike $4 or d.host ilike $4
        or d.aliases::text ilike $4)
      and ($5::text is null or d.phase = $5)
     order by d.name limit $6`,
    [filter.teamId, filter.after, filter.name, pattern, filter.phase, filter.limit],
  );
}

/** Waits for whoever changes the same deployment now. */
export async function findByIdForUpdate(transaction: Transaction, id: string): Promise<DeploymentView | undefined> {
  const locked = await transaction.execute('select 1 from deployments where id = $1 for update', [id]);
  return locked === 0 ? undefined : findById(transaction, id);
}

export async function insert(transaction: Transaction, row: DeploymentRow): Promise<void> {
  await transaction.execute(
    `insert into deployments (id, team_id, organization_id, name, display_name, template_name, template_version,
       parameter_values, spec, desired, revision, host, resource_uid, phase, created_by, created_at, updated_at,
       aliases, replicas, paused)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20)`,
    [
      row.id,
      row.teamId,
      row.organizationId,
      row.name,
      row.displayName,
      row.templateName,
      row.templateVersion,
      JSON.stringify(row.parameterValues),
      JSON.stringify(row.spec),
      row.desired,
      row.revision,
      row.host,
      row.resourceUid,
      row.phase,
      row.createdBy,
      row.createdAt,
      row.updatedAt,
      JSON.stringify(row.aliases),
      JSON.stringify(row.replicas),
      row.paused,
    ],
  );
}

/** Writes what is wanted. What was observed stays, but for what was said of it: that was about what was wanted before. */
export async function updateWanted(transaction: Transaction, row: DeploymentRow): Promise<void> {
  await transaction.execute(
    `update deployments set display_name = $2, template_name = $3, template_version = $4, parameter_values = $5, spec = $6,
       desired = $7, revision = $8, host = $9, phase = $10, updated_at = $11, aliases = $12, replicas = $13, paused = $14,
       message = null,
       observed = case when observed->'update'->>'state' = 'stopped' then observed - 'update' else observed end
     where id = $1`,
    [
      row.id,
      row.displayName,
      row.templateName,
      row.templateVersion,
      JSON.stringify(row.parameterValues),
      JSON.stringify(row.spec),
      row.desired,
      row.revision,
      row.host,
      row.phase,
      row.updatedAt,
      JSON.stringify(row.aliases),
      JSON.stringify(row.replicas),
      row.paused,
    ],
  );
}

export interface Observation {
  phase: Phase;
  message: string | undefined;
  status: UserDeploymentStatus | undefined;
  resourceUid: string;
  resourceVersion: string;
}

export async function updateObserved(transaction: Transaction, id: string, seen: Observation): Promise<void> {
  await transaction.execute(
    `update deployments set phase = $2, message = $3, observed = $4, resource_uid = $5, observed_version = $6
     where id = $1`,
    [id, seen.phase, seen.message, seen.status && JSON.stringify(seen.status), seen.resourceUid, seen.resourceVersion],
  );
}

/** Of a row and its newest revision: which of the hosts that it asks for it got. */
export async function setAddresses(
  transaction: Transaction,
  id: string,
  { host, aliases }: { host: string | undefined; aliases: readonly string[] },
): Promise<void> {
  const values = [id, host, JSON.stringify(aliases)];
  await transaction.execute('update deployments set host = $2, aliases = $3 where id = $1', values);
  await transaction.execute(
    `update revisions r set host = $2, aliases = $3 from deployments d
     where d.id = $1 and r.deployment_id = d.id and r.revision = d.revision`,
    values,
  );
}

/** False when there is no such row any more. */
export async function setResourceUid(queryable: Queryable, id: string, uid: string): Promise<boolean> {
  const touched = await queryable.execute('update deployments set resource_uid = $2 where id = $1', [id, uid]);
  return touched > 0;
}

/** With its revisions, claims and outbox entry. */
export async function remove(transaction: Transaction, id: string): Promise<void> {
  await transaction.execute('delete from deployments where id = $1', [id]);
}

/** Names of a team that start like this one, for finding a free one. */
export async function namesLike(queryable: Queryable, teamId: string, base: string): Promise<string[]> {
  const rows = await queryable.query<{ name: string }>(
    'select name from deployments where team_id = $1 and starts_with(name, $2)',
    [teamId, base],
  );
  return rows.map(({ name }) => name);
}

/** Names of one team's deployments with their ids: what objects in its namespace may belong to. */
export async function listByNamespace(queryable: Queryable, namespace: string): Promise<DeploymentRow[]> {
  return queryable.query<DeploymentRow>(
    'select d.* from deployments d join teams t on t.id = d.team_id where t.namespace = $1',
    [namespace],
  );
}

/** `namespace/name` of everything, for looking at all of it again. */
export async function listKeys(queryable: Queryable): Promise<string[]> {
  const rows = await queryable.query<{ key: string }>(
    "select t.namespace || '/' || d.name as key from deployments d join teams t on t.id = d.team_id",
  );
  return rows.map(({ key }) => key);
}
