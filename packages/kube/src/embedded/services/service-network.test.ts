import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { serviceNetwork } from './service-network.ts';

const directory = mkdtempSync(join(tmpdir(), 'network-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe("the Services' network", () => {
  it('is kept, and worked out again when its file was emptied', () => {
    const network = serviceNetwork(directory);
    expect(network).toMatch(/^127\.(3[2-9]|4[0-7])\.\d+\.0\/22$/);
    expect(serviceNetwork(directory)).toBe(network);
    writeFileSync(join(directory, 'service-network'), '');
    expect(serviceNetwork(directory)).toBe(network);
  });
});
