import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openForWalking } from './reachable.ts';

const directory = mkdtempSync(join(tmpdir(), 'reachable-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe('the way to the data directory', () => {
  it('is opened for the workload user, and a closed folder above is named with what to do', () => {
    const user = { uid: 4242, gid: 4242 };
    const data = join(directory, 'data');
    mkdirSync(data, { mode: 0o700 });
    chmodSync(directory, 0o700);
    expect(() => openForWalking([data], user)).toThrow(`chmod o+x ${directory}`);
    chmodSync(directory, 0o711);
    openForWalking([data], user);
    expect(statSync(data).mode & 0o777).toBe(0o711);
  });
});
