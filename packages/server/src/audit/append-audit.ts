import { type AuditRecord, auditHash } from '@berth/core/audit';
import type { Transaction } from '../db/database.ts';

export type AuditEntry = Omit<AuditRecord, 'sequence' | 'hash' | 'at'> & { at: Date };

const LONGEST_TEXT = 500;

/**
 * Adds one record to the chain, as a part of the transaction whose change it records. The row of the tail is locked until that
 * transaction ends, so records are in one order and their number has no gap: append last, and hold nothing up.
 */
export async function appendAudit(transaction: Transaction, entry: AuditEntry): Promise<void> {
  const [tail] = await transaction.query<{ sequence: number; hash: string }>(
    'select sequence, hash from audit_tail for update',
  );
  if (!tail) throw new Error('the audit log has no tail: the table audit_tail is empty');
  const record = { ...cleaned(entry), at: entry.at.toISOString(), sequence: tail.sequence + 1 };
  const hash = auditHash(record, tail.hash);
  await transaction.execute(
    `insert into audit_records (sequence, at, actor, actor_id, action, outcome, method, route, target, team_id,
       organization_id, request_id, address, status, detail, hash)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)`,
    [
      record.sequence,
      record.at,
      record.actor,
      record.actorId,
      record.action,
      record.outcome,
      record.method,
      record.route,
      record.target,
      record.teamId,
      record.organizationId,
      record.requestId,
      record.address,
      record.status,
      record.detail,
      hash,
    ],
  );
  await transaction.execute('update audit_tail set sequence = $1, hash = $2', [record.sequence, hash]);
}

/** A denied request may say anything, and its record must be written all the same. */
function cleaned(entry: AuditEntry): Omit<AuditEntry, 'at'> {
  const { at: _, ...rest } = entry;
  const fields = Object.entries(rest).map(([name, value]) => [name, typeof value === 'string' ? clean(value) : value]);
  return Object.fromEntries(fields) as Omit<AuditEntry, 'at'>;
}

function clean(text: string): string {
  return text
    .slice(0, LONGEST_TEXT)
    .toWellFormed()
    .replace(/\p{Cc}/gu, '\uFFFD');
}
