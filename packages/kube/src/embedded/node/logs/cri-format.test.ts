import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { frameOutput, logTime, MAX_PART_BYTES, parseRecord } from './cri-format.ts';

const as = { stream: 'stdout' as const, time: logTime(0), flush: false };

function unframe(records: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let start = 0; start < records.length; ) {
    const end = records.indexOf(10, start);
    const record = parseRecord(records.subarray(start, end))!;
    parts.push(record.text, ...(record.partial ? [] : [Buffer.from('\n')]));
    start = end + 1;
  }
  return Buffer.concat(parts);
}

describe('log lines', () => {
  it('have time, stream and tag', () => {
    expect(frameOutput(Buffer.from('hello\n'), as).records.toString()).toBe(
      '1970-01-01T00:00:00.000000000Z stdout F hello\n',
    );
  });

  it('wait for their end, unless their writer is gone', () => {
    expect(frameOutput(Buffer.from('a\nhalf'), as)).toMatchObject({ consumed: 2 });
    const flushed = frameOutput(Buffer.from('half'), { ...as, flush: true });
    expect(unframe(flushed.records).toString()).toBe('half\n');
  });

  it('that are long come in parts', () => {
    const long = Buffer.alloc(MAX_PART_BYTES * 2 + 5, 'x');
    const { records, consumed } = frameOutput(Buffer.concat([long, Buffer.from('\n')]), as);
    expect(consumed).toBe(long.length + 1);
    expect(unframe(records).equals(Buffer.concat([long, Buffer.from('\n')]))).toBe(true);
  });

  it('keep every byte, text or not', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        const output = Buffer.concat([Buffer.from(bytes), Buffer.from('\n')]);
        const { records, consumed } = frameOutput(output, as);
        expect(consumed).toBe(output.length);
        expect(unframe(records).equals(output)).toBe(true);
      }),
    );
  });

  it('that a crash cut in half are passed over', () => {
    expect(parseRecord(Buffer.from('00Z stdo'))).toBeUndefined();
  });
});
