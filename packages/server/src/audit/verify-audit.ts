import { FIRST_HASH, firstBrokenRecord } from '@berth/core/audit';
import type { Queryable } from '../db/database.ts';
import { findRecordsAfter, findTail } from './repository.ts';

const BATCH = 1000;

export type AuditVerdict = { sound: true; records: number } | { sound: false; brokenAt: number };

/** Walks the whole chain. A record that was changed, removed, put in between or cut from the end breaks it. */
export async function verifyAudit(database: Queryable): Promise<AuditVerdict> {
  let sequence = 0;
  let hash = FIRST_HASH;
  // What is appended meanwhile is not looked at: the tail is read first.
  const tail = await findTail(database);
  while (sequence < (tail?.sequence ?? 0)) {
    const records = await findRecordsAfter(database, sequence, BATCH);
    const broken = firstBrokenRecord(records, hash) ?? firstGap(records, sequence);
    if (broken !== undefined) return { sound: false, brokenAt: broken };
    const known = records.find((record) => record.sequence === tail?.sequence);
    if (known && known.hash !== tail?.hash) return { sound: false, brokenAt: known.sequence };
    const last = records.at(-1);
    if (!last) return { sound: false, brokenAt: sequence + 1 };
    ({ sequence, hash } = last);
  }
  return { sound: true, records: sequence };
}

function firstGap(records: readonly { sequence: number }[], after: number): number | undefined {
  return records.find((record, index) => record.sequence !== after + index + 1)?.sequence;
}
