import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ownIdentity } from '../processes/process-identity.ts';
import { makeDataDirectory } from './data-paths.ts';
import { lockHolder, takeLock } from './lock.ts';
import { temporaryFolder } from './testing/temporary-folder.ts';

describe('the lock of a data directory', () => {
  it('is refused while its holder runs, and says who and where that is', () => {
    const paths = makeDataDirectory(temporaryFolder());
    takeLock(paths);
    expect(() => takeLock(paths)).toThrow(`process ${process.pid}, still starting or stopping`);
    writeFileSync(paths.berthFile, JSON.stringify({ pid: process.pid, url: 'http://localhost:7400' }));
    expect(() => takeLock(paths)).toThrow('at http://localhost:7400');
    expect(lockHolder(paths)?.pid).toBe(process.pid);
  });

  it('is free again once it is released', () => {
    const paths = makeDataDirectory(temporaryFolder());
    takeLock(paths).release();
    expect(existsSync(paths.lock)).toBe(false);
    expect(() => takeLock(paths)).not.toThrow();
  });

  it.each([
    ['of a process that has ended', JSON.stringify({ pid: 2 ** 22 - 1, started: '1 x' })],
    ['of a pid that somebody else has by now', JSON.stringify({ ...ownIdentity(), started: '1 another boot' })],
    ['that was cut short', '{"pid": 1'],
  ])('is taken over from a file %s', (_what, content) => {
    const paths = makeDataDirectory(temporaryFolder());
    writeFileSync(paths.lock, content);
    takeLock(paths);
    expect(lockHolder(paths)?.pid).toBe(process.pid);
    expect(readdirSync(paths.root).filter((file) => file.startsWith('lock.json.'))).toEqual([]);
  });

  it('is not released by somebody who lost it', () => {
    const paths = makeDataDirectory(temporaryFolder());
    const lock = takeLock(paths);
    writeFileSync(paths.lock, JSON.stringify({ pid: 1, started: 'another' }));
    lock.release();
    expect(existsSync(paths.lock)).toBe(true);
  });
});
