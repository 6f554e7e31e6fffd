import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { identityOf, isRunning } from '../processes/process-identity.ts';
import { endLeftOvers } from './left-overs.ts';
import { temporaryFolder } from './testing/temporary-folder.ts';

function startProcess(script: string): ChildProcess {
  const child = spawn('/bin/sh', ['-c', script], { stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

function record(directory: string, name: string, pid: number | undefined): void {
  writeFileSync(join(directory, `${name}.json`), JSON.stringify(identityOf(pid ?? 0)));
}

describe('processes of an earlier start', () => {
  it('are waited for while they stop by themselves', async () => {
    const directory = temporaryFolder();
    record(directory, 'cluster', startProcess('exec sleep 0.2').pid);
    const said: string[] = [];
    await endLeftOvers(directory, (sentence) => said.push(sentence));
    expect(said).toHaveLength(1);
    expect(said[0]).toContain('waiting for the cluster of an earlier start');
    expect(existsSync(join(directory, 'cluster.json'))).toBe(false);
  });

  it('are ended when they do not', async () => {
    const directory = temporaryFolder();
    const child = startProcess('trap "" TERM; while true; do sleep 0.05; done');
    const identity = identityOf(child.pid ?? 0);
    record(directory, 'server', child.pid);
    await endLeftOvers(directory, () => undefined, { onTheirOwnMs: 50, afterTermMs: 50, afterKillMs: 5000 });
    expect(identity && isRunning(identity)).toBe(false);
  });

  it('are left alone when the pid is somebody else’s by now', async () => {
    const directory = temporaryFolder();
    writeFileSync(join(directory, 'router.json'), JSON.stringify({ pid: process.pid, started: '1 another boot' }));
    const said: string[] = [];
    await endLeftOvers(directory, (sentence) => said.push(sentence));
    expect(said).toEqual([]);
  });
});
