import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { makeDataDirectory } from './data-paths.ts';

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'berth data é-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

it('makes what is missing, and finds it again', () => {
  const root = join(folder(), 'deep', 'down');
  const paths = makeDataDirectory(root);
  expect(statSync(paths.keys).mode & 0o777).toBe(0o700);
  expect(makeDataDirectory(root)).toEqual(paths);
});

it('says what is wrong with a folder that cannot be one, and the way out', () => {
  const file = join(folder(), 'file');
  writeFileSync(file, '');
  const refusal = `${file} cannot hold Berth's data: it, or what it lies in, is a file. Choose another folder with --data DIR`;
  expect(() => makeDataDirectory(file)).toThrow(refusal);
  expect(() => makeDataDirectory(join(file, 'below'))).toThrow(/is a file\. Choose another folder with --data DIR/);
});
