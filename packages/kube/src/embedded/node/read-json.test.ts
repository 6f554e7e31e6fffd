import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readJson } from './read-json.ts';

const directory = mkdtempSync(join(tmpdir(), 'json-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe('a JSON file of the node', () => {
  it('is undefined when it is missing, empty or cut off', () => {
    const file = join(directory, 'a.json');
    expect(readJson(file)).toBeUndefined();
    writeFileSync(file, '');
    expect(readJson(file)).toBeUndefined();
    writeFileSync(file, '{"attempt":');
    expect(readJson(file)).toBeUndefined();
    writeFileSync(file, '{"attempt":1}');
    expect(readJson(file)).toEqual({ attempt: 1 });
  });
});
