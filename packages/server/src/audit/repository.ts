import type { AuditRecord } from '@berth/core/audit';
import type { Queryable } from '../db/database.ts';

interface AuditRow extends Omit<AuditRecord, 'at'> {
  at: Date;
}

/** One place that turns a row into the record that was hashed. */
function toRecord({ at, ...row }: AuditRow): AuditRecord {
  return { ...row, at: at.toISOString() };
}

/** Newest first, before a sequence number. */
export async function findTeamRecords(
  database: Queryable,
  wanted: { teamId: string; before?: number; limit: number },
): Promise<AuditRecord[]> {
  const rows = await database.query<AuditRow>(
    `select * from audit_records where team_id = $1 and ($2::bigint is null or sequence < $2)
     order by sequence desc limit $3`,
    [wanted.teamId, wanted.before, wanted.limit],
  );
  return rows.map(toRecord);
}

/** Oldest first, after a sequence number. */
export async function findRecordsAfter(database: Queryable, after: number, limit: number): Promise<AuditRecord[]> {
  const rows = await database.query<AuditRow>(
    'select * from audit_records where sequence > $1 order by sequence limit $2',
    [after, limit],
  );
  return rows.map(toRecord);
}

export async function findTail(database: Queryable): Promise<{ sequence: number; hash: string } | undefined> {
  return (await database.query<{ sequence: number; hash: string }>('select sequence, hash from audit_tail'))[0];
}
