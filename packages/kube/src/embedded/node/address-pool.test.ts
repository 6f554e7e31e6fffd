import { mkdtempSync, rmSync } from 'node:fs';
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
    pool.keepOnly(['kept']);
    expect(openAddressPool(file).take('kept')).toBe(kept);
    expect(openAddressPool(file).take('gone')).not.toBe(gone);
  });
});
