import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openAddressPool } from './address-pool.ts';

const directory = mkdtempSync(join(tmpdir(), 'addresses-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe('pod addresses', () => {
  it("lie in 127.64.0.0/10, differ, and stay the pod's over a restart", () => {
    const file = join(directory, 'a.json');
    const pool = openAddressPool(file);
    const addresses = Array.from({ length: 300 }, (_, index) => pool.take(`pod-${index}`));
    expect(new Set(addresses).size).toBe(300);
    for (const address of addresses) {
      const [first, second, , last] = address.split('.').map(Number);
      expect(first).toBe(127);
      expect(second! & 0xc0).toBe(64);
      expect([0, 255]).not.toContain(last);
    }
    expect(openAddressPool(file).take('pod-7')).toBe(addresses[7]);
  });

  it('are not given again at once', () => {
    const pool = openAddressPool(join(directory, 'b.json'));
    const first = pool.take('a');
    pool.release('a');
    expect(pool.take('b')).not.toBe(first);
  });

  it('of pods that went while no node ran are released', () => {
    const file = join(directory, 'c.json');
    const pool = openAddressPool(file);
    const kept = pool.take('kept');
    const gone = pool.take('gone');
    pool.keepOnly(new Map([['kept', kept]]));
    expect(openAddressPool(file).take('kept')).toBe(kept);
    expect(openAddressPool(file).take('gone')).not.toBe(gone);
  });

  it('are learnt from the pods when the file was cut off', () => {
    const file = join(directory, 'd.json');
    const address = openAddressPool(file).take('runs');
    writeFileSync(file, '{"next":17,"po');
    const pool = openAddressPool(file);
    pool.keepOnly(
      new Map([
        ['runs', address],
        ['claims', '127.0.0.1'],
        ['waits', undefined],
      ]),
    );
    expect(openAddressPool(file).take('runs')).toBe(address);
    expect(pool.take('claims')).not.toBe('127.0.0.1');
    expect(pool.take('waits')).not.toBe(address);
  });
});
