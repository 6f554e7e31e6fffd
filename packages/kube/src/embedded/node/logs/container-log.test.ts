import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createFakeClock } from '../../../client/testing/fake-clock.ts';
import type { LogRequest } from '../../api/node-agent.ts';
import { createContainerLog } from './container-log.ts';
import { limit, readLog } from './read-log.ts';

const directories: string[] = [];
afterEach(() => {
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true });
});

function place(): string {
  const directory = mkdtempSync(join(tmpdir(), 'log-'));
  directories.push(directory);
  return directory;
}

async function read(files: string[], options: Partial<LogRequest> = {}): Promise<string> {
  const parts: Uint8Array[] = [];
  const chosen = readLog(files, { timestamps: false, now: 0, ...options });
  for await (const part of limit(chosen, options.limitBytes)) parts.push(part);
  return Buffer.concat(parts).toString('utf8');
}

describe("a container's log", () => {
  it('has every line once, also when the node is another', async () => {
    const directory = place();
    const clock = createFakeClock();
    appendFileSync(`${directory}/stdout.raw`, 'one\ntw');
    createContainerLog(directory, clock, { maxBytes: 1000, maxFiles: 3 }).pump(0, false);
    appendFileSync(`${directory}/stdout.raw`, 'o\nthree');
    const log = createContainerLog(directory, clock, { maxBytes: 1000, maxFiles: 3 });
    log.pump(0, true);
    expect(await read(log.files(0))).toBe('one\ntwo\nthree\n');
  });

  it('is rotated, and the oldest part goes', async () => {
    const directory = place();
    const log = createContainerLog(directory, createFakeClock(), { maxBytes: 50, maxFiles: 3 });
    for (let line = 0; line < 10; line++) {
      appendFileSync(`${directory}/stdout.raw`, `line ${line}\n`);
      log.pump(0, false);
    }
    expect(log.files(0).length).toBe(3);
    expect((await read(log.files(0))).trim().split('\n').at(-1)).toBe('line 9');
  });

  it('goes on when somebody removed its folder, and after a note that was cut off', async () => {
    const directory = place();
    const clock = createFakeClock();
    const log = createContainerLog(directory, clock, { maxBytes: 1000, maxFiles: 3 });
    appendFileSync(`${directory}/stdout.raw`, 'one\n');
    log.pump(0, false);
    rmSync(`${directory}/logs`, { recursive: true });
    appendFileSync(`${directory}/stdout.raw`, 'two\n');
    log.pump(0, false);
    expect(await read(log.files(0))).toBe('two\n');
    writeFileSync(`${directory}/offsets.json`, '{"std');
    const next = createContainerLog(directory, clock, { maxBytes: 1000, maxFiles: 3 });
    next.pump(0, false);
    expect(await read(next.files(0))).toBe('two\none\ntwo\n');
  });

  it('leaves no large raw file behind', () => {
    const directory = place();
    const log = createContainerLog(directory, createFakeClock(), { maxBytes: 2 ** 30, maxFiles: 2 });
    const line = `${'x'.repeat(1023)}\n`;
    appendFileSync(`${directory}/stdout.raw`, line.repeat(5 * 1024));
    log.pump(0, false);
    expect(statSync(`${directory}/stdout.raw`).size).toBe(0);
    expect(readFileSync(log.files(0)[0]!, 'latin1').split('\n').length).toBe(5 * 1024 + 1);
  });

  it('says what is missing of output that came too fast, and keeps its end', async () => {
    const directory = place();
    const log = createContainerLog(directory, createFakeClock(), { maxBytes: 2 ** 30, maxFiles: 2 });
    appendFileSync(`${directory}/stdout.raw`, `${'y'.repeat(1023)}\n`.repeat(40 * 1024));
    appendFileSync(`${directory}/stdout.raw`, 'last words\n');
    log.pump(0, true);
    const [first, ...others] = (await read(log.files(0))).trimEnd().split('\n');
    expect(first).toMatch(/^\[\d+ bytes of output are missing here: they came faster than they could be kept\]$/);
    expect(others.at(-1)).toBe('last words');
    expect(others.length).toBeLessThan(1100);
    expect(statSync(`${directory}/stdout.raw`).size).toBe(0);
  });

  it('gives the last lines, those since a time, with times, up to a size', async () => {
    const directory = place();
    const clock = createFakeClock();
    const log = createContainerLog(directory, clock, { maxBytes: 1000, maxFiles: 3 });
    for (const line of ['a', 'b', 'c']) {
      appendFileSync(`${directory}/stdout.raw`, `${line}\n`);
      log.pump(0, false);
      await clock.advance(10_000);
    }
    expect(await read(log.files(0), { tailLines: 2 })).toBe('b\nc\n');
    expect(await read(log.files(0), { tailLines: 0 })).toBe('');
    expect(await read(log.files(0), { sinceTime: '2026-01-01T00:00:15Z' })).toBe('c\n');
    expect(await read(log.files(0), { limitBytes: 3 })).toBe('a\nb');
    expect(await read(log.files(0), { timestamps: true, tailLines: 1 })).toBe('2026-01-01T00:00:20.000000000Z c\n');
  });
});
