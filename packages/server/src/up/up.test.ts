import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readUpOptions, type UpOptions } from '../configuration/up-options.ts';
import { identityOf } from '../processes/process-identity.ts';
import { temporaryFolder } from './testing/temporary-folder.ts';
import { type RunningBerth, up } from './up.ts';

interface Scene {
  directory: string;
  said: string[];
  cancel: AbortController;
  options: UpOptions;
  start(environment?: Record<string, string>): Promise<RunningBerth | undefined>;
  /** What the processes wrote down, in order. */
  notes(): string[];
}

/** The real supervisor over stand-ins for its processes. */
function scene(...flags: string[]): Scene {
  const folder = temporaryFolder();
  const directory = join(folder, 'data');
  const log = join(folder, 'notes');
  writeFileSync(log, '');
  const said: string[] = [];
  const cancel = new AbortController();
  const hurry = new AbortController();
  const options = readUpOptions({
    parameters: ['--data', directory, '--port', '0', ...flags],
    environment: {},
    currentDirectory: folder,
  });
  return {
    directory,
    said,
    cancel,
    options,
    async start(environment = {}) {
      const host = {
        mainFile: fileURLToPath(new URL('./testing/stand-in.mjs', import.meta.url)),
        environment: { PATH: '/usr/bin:/bin', STAND_IN_LOG: log, ...environment },
        version: '1.2.3',
        say: (sentence: string) => said.push(sentence),
      };
      const berth = await up(options, host, { cancel: cancel.signal, hurry: hurry.signal });
      onTestFinished(async () => {
        hurry.abort();
        await berth?.stop();
      });
      return berth;
    },
    notes: () => readFileSync(log, 'utf8').trim().split('\n'),
  };
}

async function until(condition: () => boolean): Promise<void> {
  const deadline = performance.now() + 10_000;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error('it did not come to that in time');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const pidOf = (directory: string, name: string): number =>
  Number(readFileSync(join(directory, 'run', `${name}.pid`), 'utf8'));

describe('berth up', () => {
  it('starts in order, tells how to reach it, and stops in reverse', async () => {
    const { start, directory, notes } = scene();
    const berth = await start();
    expect(notes().slice(0, 2)).toEqual(['database begins', 'cluster begins']);
    expect(notes().slice(2).sort()).toEqual(['operator begins', 'router begins', 'server begins']);
    const told = JSON.parse(readFileSync(join(directory, 'berth.json'), 'utf8'));
    expect(told).toEqual({
      url: berth?.url,
      port: Number(new URL(berth?.url ?? '').port),
      kubeconfig: join(directory, 'kubeconfig'),
      pid: process.pid,
      version: '1.2.3',
    });

    await berth?.stop();
    expect(notes().slice(5)).toEqual(
      ['router', 'operator', 'server', 'cluster', 'database'].map((name) => `${name} stops`),
    );
    expect(existsSync(join(directory, 'berth.json'))).toBe(false);
    expect(existsSync(join(directory, 'lock.json'))).toBe(false);
  });

  it('refuses a second start on the same data and leaves the first alone', async () => {
    const { start, directory } = scene();
    await start();
    await expect(start()).rejects.toThrow('a Berth runs on');
    expect(existsSync(join(directory, 'berth.json'))).toBe(true);
  });

  it('has neither database nor cluster nor router where others bring them', async () => {
    const { options, start, notes } = scene('--kubeconfig', '/somewhere/kubeconfig');
    options.databaseUrl = 'postgres://db/berth';
    await start();
    expect(notes().sort()).toEqual(['operator begins', 'server begins']);
  });

  it('tells the sentence of a process that cannot work, and stops the others', async () => {
    const { start, notes, directory, said } = scene();
    await expect(start({ STAND_IN_FAILS: 'cluster' })).rejects.toThrow('cluster cannot work here');
    expect(notes()).toContain('database stops');
    expect(said.join('\n')).not.toContain('is started again');
    expect(existsSync(join(directory, 'lock.json'))).toBe(false);
  });

  it('gives up on a process that only ever dies, with the end of its log', async () => {
    const { start, said } = scene();
    await expect(start({ STAND_IN_DIES: 'cluster' })).rejects.toThrow(/cluster ended 5 times \(exit code 3\)/);
    expect(said.filter((sentence) => sentence.startsWith('cluster ended'))).toHaveLength(4);
  });

  it('stops again when it is cancelled while it starts', async () => {
    const { start, cancel, directory } = scene();
    cancel.abort();
    expect(await start()).toBeUndefined();
    expect(existsSync(join(directory, 'berth.json'))).toBe(false);
    expect(existsSync(join(directory, 'lock.json'))).toBe(false);
  });

  it('starts a process again that was killed', async () => {
    const { start, directory, notes } = scene();
    await start({ STAND_IN_PID_FOLDER: join(directory, 'run') });
    const before = pidOf(directory, 'server');
    process.kill(before, 'SIGKILL');
    await until(() => notes().filter((note) => note === 'server begins').length === 2);
    expect(identityOf(before)).toBeUndefined();
    expect(identityOf(pidOf(directory, 'server'))).toBeDefined();
  });
});
