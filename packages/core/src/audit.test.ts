import { describe, expect, it } from 'vitest';
import { type AuditRecord, auditHash, FIRST_HASH, firstBrokenRecord } from './audit.ts';

function chain(length: number): AuditRecord[] {
  const records: AuditRecord[] = [];
  let previous = FIRST_HASH;
  for (let sequence = 1; sequence <= length; sequence++) {
    const record = {
      sequence,
      at: '2026-01-01T00:00:00.000Z',
      actor: 'dev@localhost',
      action: 'deployment:create',
      outcome: 'allowed' as const,
    };
    previous = auditHash(record, previous);
    records.push({ ...record, hash: previous });
  }
  return records;
}

describe('the audit chain', () => {
  it('is sound as written', () => expect(firstBrokenRecord(chain(5))).toBeUndefined());

  it('shows a changed, removed, added and swapped record', () => {
    const changed = chain(5).map((record) => (record.sequence === 3 ? { ...record, actor: 'somebody else' } : record));
    expect(firstBrokenRecord(changed)).toBe(3);
    expect(firstBrokenRecord(chain(5).filter((record) => record.sequence !== 2))).toBe(3);
    const [one, two, ...rest] = chain(5) as [AuditRecord, AuditRecord, ...AuditRecord[]];
    expect(firstBrokenRecord([two, one, ...rest])).toBe(2);
    expect(firstBrokenRecord([one, { ...two, target: 'x' }, ...rest])).toBe(2);
  });
});
