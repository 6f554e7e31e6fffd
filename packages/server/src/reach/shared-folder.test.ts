import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { reachableFolder } from './shared-folder.ts';
import { findUser } from './system-user.ts';

function newFolder(mode: number): string {
  const folder = mkdtempSync(join(tmpdir(), 'berth-reach-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  chmodSync(folder, mode);
  return folder;
}

const asRoot = process.getuid?.() === 0;

describe('a folder that another user must reach', () => {
  it('lies in the data directory, for nobody else when there is no other user', () => {
    const directory = newFolder(0o755);
    expect(reachableFolder(directory, 'cluster', { user: undefined })).toBe(join(directory, 'cluster'));
    expect(statSync(join(directory, 'cluster')).mode & 0o777).toBe(0o700);
  });

  it.runIf(asRoot)('lies elsewhere when they cannot enter the data directory, and stays there', () => {
    const user = findUser('nobody');
    const [shared, parent] = [newFolder(0o755), newFolder(0o700)];
    const directory = join(parent, 'data');
    mkdirSync(directory);
    const first = reachableFolder(directory, 'cluster', { user, shared });
    expect(first.startsWith(`${shared}/`)).toBe(true);
    chmodSync(parent, 0o755);
    expect(reachableFolder(directory, 'cluster', { user, shared })).toBe(first);
  });
});
