import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root, run } from '../../scripts/steps.mjs';
import { type MachineState, machineState, newOnMachine } from '../../scripts/test/machine-state.mjs';
import { PAUSE_IMAGE } from './containers.ts';
import { findProcesses, type Process, signal } from './processes.ts';
import { until } from './until.ts';

/** A second cluster beside the one that the other tests use, on a network of its own. */
const NETWORK = '10.202';
const COMMAND = ['--import', 'tsx', 'test/cluster/main.ts'];

describe('a cluster for tests', () => {
  let folder: string;
  let dir: string;
  let before: MachineState;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'berth-up-'));
    dir = join(folder, 'cluster');
    before = await machineState(dir);
  });
  afterAll(async () => {
    await cluster('down');
    await rm(folder, { recursive: true, force: true });
  });

  it('leaves nothing when its start was killed half way', async () => {
    const starting = startCommand('up', '--network', NETWORK);
    expect(await until(() => find('kubelet') !== undefined, 120_000)).toBe(true);
    process.kill(-starting.pid!, 'SIGKILL');
    expect(find('kube-apiserver')).toBeDefined();
    await cluster('down');
    await expectNothingLeft();
  });

  it('comes up again after a start that was killed, keeps what it holds when all of it is killed, and mends a part alone', async () => {
    const starting = startCommand('up', '--network', NETWORK);
    expect(await until(() => find('kube-apiserver') !== undefined, 120_000)).toBe(true);
    process.kill(-starting.pid!, 'SIGKILL');
    await cluster('up', '--network', NETWORK);
    await kubectl('run', 'waits', '--image', PAUSE_IMAGE);
    await kubectl('wait', 'pod', 'waits', '--for', 'condition=Ready', '--timeout', '60s');

    for (const { pid } of findProcesses(dir)) signal(pid, 'SIGKILL');
    expect(await until(() => findProcesses(dir).length === 0, 20_000)).toBe(true);
    await cluster('up', '--network', NETWORK);
    const restarts = () => kubectl('get', 'pod', 'waits', '-o', 'jsonpath={.status.containerStatuses[0].restartCount}');
    expect(await until(async () => (await restarts()) === '1', 60_000)).toBe(true);
    await kubectl('wait', 'pod', 'waits', '--for', 'condition=Ready', '--timeout', '60s');

    const others = find('kube-apiserver')?.pid;
    signal(find('traefik')!.pid, 'SIGKILL');
    await cluster('up', '--network', NETWORK);
    expect(find('traefik')).toBeDefined();
    expect(find('kube-apiserver')?.pid).toBe(others);
    expect(await cluster('status')).not.toMatch(/ended|stopped/);
  });

  it('is refused with other settings than it runs with', async () => {
    await expect(cluster('up', '--network', '10.203')).rejects.toThrow();
    expect(find('kube-apiserver')).toBeDefined();
  });

  it('is ended without a trace, twice if need be', async () => {
    await cluster('down');
    await expectNothingLeft();
    expect(await cluster('down')).toContain('There is no cluster');
  });

  async function expectNothingLeft(): Promise<void> {
    expect(existsSync(dir)).toBe(false);
    expect(newOnMachine(before, await machineState(dir))).toEqual([]);
  }

  function find(program: string): Process | undefined {
    return findProcesses(dir).find((process) => process.program === program);
  }

  function cluster(...parameters: string[]): Promise<string> {
    return run(process.execPath, [...COMMAND, ...parameters, '--dir', dir], { quiet: true });
  }

  function startCommand(...parameters: string[]): ChildProcess {
    return spawn(process.execPath, [...COMMAND, ...parameters, '--dir', dir], {
      cwd: root,
      detached: true,
      stdio: 'ignore',
    });
  }

  function kubectl(...parameters: string[]): Promise<string> {
    return run(join(dir, 'bin/kubectl'), ['--kubeconfig', join(dir, 'kubeconfig'), ...parameters]);
  }
});
