import type { ACTIVITY_KINDS, Activity } from '@berth/core/deployment';
import type { Clock } from '../clock.ts';
import type { Queryable, Transaction } from '../db/database.ts';
import { recordLiveChange } from '../live/live-changes.ts';

/** What happened, for people. Bounded per team: the audit log is what is kept. */
export const ACTIVITY_KEPT = 1_000;

export interface NewActivity {
  teamId: string;
  deploymentId?: string | undefined;
  deploymentName?: string | undefined;
  service?: string | undefined;
  kind: (typeof ACTIVITY_KINDS)[number];
  level: Activity['level'];
  message: string;
  by?: string | undefined;
  /** When it happened; now when absent. */
  at?: Date;
  /** One occurrence that is told twice has the same key and is written once. */
  sourceKey?: string;
}

interface ActivityRow {
  id: number;
  teamId: string;
  deploymentName?: string;
  service?: string;
  kind: Activity['kind'];
  level: Activity['level'];
  message: string;
  madeBy?: string;
  at: Date;
}

const COLUMNS = 'id, team_id, deployment_name, service, kind, level, message, made_by, at';

/** Takes the team's position lock: call it late in a transaction. */
export async function recordActivity(transaction: Transaction, activity: NewActivity, clock: Clock): Promise<void> {
  const [row] = await transaction.query<{ id: number }>(
    `insert into activity (team_id, deployment_id, deployment_name, service, kind, level, message, made_by, at, source_key)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) on conflict (source_key) do nothing returning id`,
    [
      activity.teamId,
      activity.deploymentId,
      activity.deploymentName,
      activity.service,
      activity.kind,
      activity.level,
      activity.message,
      activity.by,
      activity.at ?? clock(),
      activity.sourceKey,
    ],
  );
  if (row)
    await recordLiveChange(transaction, { teamId: activity.teamId, kind: 'activity', objectId: `${row.id}` }, clock);
}

export interface ActivityPage {
  /** A team, or one deployment of it. */
  of: { teamId: string } | { deploymentId: string };
  limit: number;
  /** Older than this id. */
  before?: number | undefined;
}

/** Newest first. */
export async function listActivity(queryable: Queryable, page: ActivityPage): Promise<Activity[]> {
  const [column, value] = 'teamId' in page.of ? ['team_id', page.of.teamId] : ['deployment_id', page.of.deploymentId];
  const rows = await queryable.query<ActivityRow>(
    `select ${COLUMNS} from activity where ${column} = $1 and ($2::bigint is null or id < $2) order by id desc limit $3`,
    [value, page.before, page.limit],
  );
  return rows.map(present);
}

export async function findActivities(queryable: Queryable, ids: readonly number[]): Promise<Activity[]> {
  return (await queryable.query<ActivityRow>(`select ${COLUMNS} from activity where id = any($1)`, [ids])).map(present);
}

/** Keeps the newest of every team. */
export async function pruneActivity(queryable: Queryable): Promise<number> {
  return queryable.execute(
    `delete from activity a using teams t
     where a.team_id = t.id and a.id <= (
       select id from activity b where b.team_id = t.id order by id desc offset $1 limit 1)`,
    [ACTIVITY_KEPT],
  );
}

function present(row: ActivityRow): Activity {
  return {
    id: row.id,
    teamId: row.teamId,
    ...(row.deploymentName !== undefined && { deployment: row.deploymentName }),
    ...(row.service !== undefined && { service: row.service }),
    kind: row.kind,
    level: row.level,
    message: row.message,
    ...(row.madeBy !== undefined && { by: row.madeBy }),
    at: row.at.toISOString(),
  };
}
