import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../../client/clock.ts';
import { type ContainerProcess, createContainerProcess, type Launch, MARK_VARIABLE } from './container-process.ts';
import { readRecord, writeRecord } from './container-record.ts';
import { findByEnvironment, identifyProcess } from './process-identity.ts';
import { RESTART_TIMINGS } from './restart-backoff.ts';

const directories: string[] = [];
const running: ContainerProcess[] = [];
afterEach(() => {
  for (const container of running.splice(0)) {
    container.signal('SIGKILL');
    // Its end must not be written into a folder that is gone.
    container.leave();
  }
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true });
});

function place(): { directory: string; mark: string } {
  const directory = mkdtempSync(join(tmpdir(), 'container-'));
  directories.push(directory);
  return { directory, mark: directory };
}

function open(at: { directory: string; mark: string }): ContainerProcess {
  const container = createContainerProcess({
    ...at,
    clock: systemClock,
    restart: RESTART_TIMINGS,
    pollMs: 20,
    onExit: () => undefined,
  });
  running.push(container);
  return container;
}

const launch = (directory: string, script: string, environment: Record<string, string> = {}): Launch => ({
  argv: ['/bin/sh', '-c', script],
  environment: { PATH: '/usr/bin:/bin', ...environment },
  directory,
  user: undefined,
  declaration: 'd',
  image: 'i',
});

describe("a container's process", () => {
  it("has its declared environment and nothing of the node's", async () => {
    const at = place();
    const container = open(at);
    container.start(launch(at.directory, 'env', { ONLY: 'this' }));
    await vi.waitFor(() => expect(container.record()?.phase).toBe('exited'));
    const names = readFileSync(`${at.directory}/stdout.raw`, 'utf8')
      .trim()
      .split('\n')
      .map((line) => line.split('=')[0]);
    expect(names.sort()).toEqual([MARK_VARIABLE, 'ONLY', 'PATH', 'PWD'].sort());
    expect(container.record()?.termination).toMatchObject({ exitCode: 0, reason: 'Completed' });
  });

  it('tells its exit code, and a signal as 128 more', async () => {
    const at = place();
    const container = open(at);
    container.start(launch(at.directory, 'exit 7'));
    await vi.waitFor(() => expect(container.record()?.termination?.exitCode).toBe(7));
    container.start(launch(at.directory, 'sleep 60'));
    container.signal('SIGTERM');
    await vi.waitFor(() => expect(container.record()?.termination?.exitCode).toBe(143));
    expect(container.record()).toMatchObject({ attempt: 1, previous: { exitCode: 7 } });
  });

  it('takes with it what left its session and lost its parent', async () => {
    const at = place();
    const container = open(at);
    container.start(launch(at.directory, '(setsid sleep 1000 &); (setsid sleep 1000 &); sleep 1000'));
    const mark = `${at.mark}/0`;
    await vi.waitFor(() => expect(findByEnvironment(MARK_VARIABLE, mark)).toHaveLength(4));
    container.signal('SIGTERM');
    await vi.waitFor(() => expect(container.record()?.phase).toBe('exited'));
    await vi.waitFor(() => expect(findByEnvironment(MARK_VARIABLE, mark)).toEqual([]));
  });

  it('that cannot start says why', async () => {
    const at = place();
    const container = open(at);
    container.start({ ...launch(at.directory, ''), argv: ['/no/such/program'] });
    await vi.waitFor(() => expect(container.record()?.termination?.reason).toBe('StartError'));
  });

  it('takes what it started with it', async () => {
    const at = place();
    const container = open(at);
    container.start(launch(at.directory, `sleep 61 & echo $! > ${at.directory}/child; exit 0`));
    await vi.waitFor(() => expect(container.record()?.phase).toBe('exited'));
    await vi.waitFor(() => expect(findByEnvironment(MARK_VARIABLE, `${at.mark}/0`)).toEqual([]));
  });

  it('is adopted by the next node, and its end noticed', async () => {
    const at = place();
    const first = open(at);
    first.start(launch(at.directory, 'sleep 60'));
    const pid = first.record()?.process?.pid;
    first.leave();
    const second = open(at);
    second.adopt();
    expect(second.isRunning()).toBe(true);
    expect(second.record()?.process?.pid).toBe(pid);
    second.signal('SIGTERM');
    await vi.waitFor(() => expect(second.record()?.termination?.reason).toBe('ContainerStatusUnknown'));
  });

  it('that a crash left between start and record is found by its mark and not started twice', async () => {
    const at = place();
    const first = open(at);
    first.start(launch(at.directory, 'sleep 60'));
    const { process: identity, startedAt: _startedAt, ...rest } = first.record()!;
    first.leave();
    writeRecord(`${at.directory}/record.json`, { ...rest, phase: 'starting' });
    const second = open(at);
    second.adopt();
    expect(second.record()?.process).toEqual(identity);
  });

  it('that a crash kept from starting is no attempt that counts', () => {
    const at = place();
    writeRecord(`${at.directory}/record.json`, {
      attempt: 0,
      phase: 'starting',
      declaration: 'd',
      image: 'i',
      backoffMs: 0,
    });
    const container = open(at);
    container.adopt();
    expect(container.record()).toBeUndefined();
    expect(existsSync(`${at.directory}/record.json`)).toBe(false);
  });

  it('is not taken for another that has its number', async () => {
    const at = place();
    const other = spawn('sleep', ['60'], { detached: true });
    const { boot } = identifyProcess(process.pid)!;
    const identity = { pid: other.pid ?? 0, startTime: '1', boot };
    writeRecord(`${at.directory}/record.json`, {
      attempt: 3,
      phase: 'running',
      declaration: 'd',
      image: 'i',
      backoffMs: 0,
      process: identity,
      startedAt: 1,
    });
    const container = open(at);
    container.adopt();
    expect(container.record()?.termination?.reason).toBe('ContainerStatusUnknown');
    expect(readRecord(`${at.directory}/record.json`)?.phase).toBe('exited');
    // The other leads a group under that number, which is none of ours.
    expect(identifyProcess(identity.pid)).toBeDefined();
    const exit = new Promise((resolve) => other.once('exit', (_code, signal) => resolve(signal)));
    other.kill('SIGTERM');
    expect(await exit).toBe('SIGTERM');
  });
});
