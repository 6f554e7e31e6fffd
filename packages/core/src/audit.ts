import { z } from 'zod';
import { sha256 } from './sha256.ts';

/**
 * The audit log is an append-only chain: each record's hash covers its content and the hash before it, so that a
 * record cannot be changed, removed or put in between without every later hash being wrong.
 */
export const auditRecordSchema = z
  .strictObject({
    sequence: z.int(),
    at: z.iso.datetime(),
    /** Person or system actor, for people. */
    actor: z.string(),
    actorId: z.string().optional(),
    /** The permission that was needed. */
    action: z.string(),
    outcome: z.enum(['allowed', 'denied', 'failed']),
    method: z.string().optional(),
    route: z.string().optional(),
    target: z.string().optional(),
    teamId: z.string().optional(),
    organizationId: z.string().optional(),
    requestId: z.string().optional(),
    address: z.string().optional(),
    status: z.int().optional(),
    /** Names of what changed; never values. */
    detail: z.string().optional(),
    hash: z.string(),
  })
  .meta({ id: 'AuditRecord' });
export type AuditRecord = z.infer<typeof auditRecordSchema>;

export const FIRST_HASH = '0'.repeat(64);

/** The hash of a record, given the one before it. Fields count in a fixed order; absent ones count as absent. */
export function auditHash(record: Omit<AuditRecord, 'hash'>, previousHash: string): string {
  const fields = Object.keys(auditRecordSchema.shape).filter((name) => name !== 'hash') as (keyof typeof record)[];
  return sha256(JSON.stringify([previousHash, ...fields.map((name) => record[name] ?? null)]));
}

/** The sequence number of the first record that does not fit its predecessor, or undefined for a sound chain. */
export function firstBrokenRecord(
  records: readonly AuditRecord[],
  previousHash: string = FIRST_HASH,
): number | undefined {
  let previous = previousHash;
  for (const { hash, ...record } of records) {
    if (auditHash(record, previous) !== hash) return record.sequence;
    previous = hash;
  }
  return undefined;
}
