import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { lastLines, openLogFile } from './log-file.ts';
import { identityOf, isRunning, ownIdentity, type ProcessIdentity, signalProcess } from './process-identity.ts';
import { createRestartDelay } from './restart-delay.ts';
import { runService, type Service } from './service.ts';

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'berth-processes-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

describe('the identity of a process', () => {
  it('is not that of another one with the same pid', () => {
    const own = ownIdentity();
    expect(isRunning(own)).toBe(true);
    expect(isRunning({ ...own, started: '0 another boot' })).toBe(false);
    expect(signalProcess({ ...own, started: '0 another boot' }, 'SIGKILL')).toBe(false);
  });

  it('ends with the process', async () => {
    const child = spawn('/bin/sh', ['-c', 'exec sleep 60']);
    const identity = identityOf(child.pid ?? 0);
    expect(identity && signalProcess(identity, 'SIGKILL')).toBe(true);
    await once(child, 'exit');
    expect(identityOf(child.pid ?? 0)).toBeUndefined();
  });

  it('that was never written is nobody', () => {
    expect(isRunning({} as ProcessIdentity)).toBe(false);
  });

  it.each([0, -1, Number.NaN, 1.5])('does not exist for pid %s', (pid) => {
    expect(identityOf(pid)).toBeUndefined();
  });
});

describe('a log file', () => {
  it('is cut under its writer, who goes on at the new end', () => {
    const path = join(temporaryFolder(), 'server.log');
    const log = openLogFile(path, 10);
    writeSync(log.descriptor, 'a line that is long\n');
    log.rotateIfLarge();
    writeSync(log.descriptor, 'next\n');
    log.close();
    expect(readFileSync(`${path}.1`, 'utf8')).toBe('a line that is long\n');
    expect(readFileSync(path, 'utf8')).toBe('next\n');
    expect(lastLines(path, 3)).toEqual(['next']);
  });
});

describe('the delay before a restart', () => {
  it('grows while a process keeps dying, and is short again once it ran', () => {
    const delay = createRestartDelay();
    expect([delay.next(10), delay.next(10), delay.next(10)]).toEqual([100, 200, 400]);
    expect(delay.next(60_000)).toBe(100);
    for (let count = 0; count < 20; count++) delay.next(10);
    expect(delay.next(10)).toBe(10_000);
  });
});

describe('a service', () => {
  function scene() {
    const listeners = new Map<string, () => void>();
    const exits: number[] = [];
    const host = {
      recordFile: join(temporaryFolder(), 'server.json'),
      parent: undefined,
      exit: (code: number) => void exits.push(code),
      onSignal: (signal: NodeJS.Signals, listener: () => void) => void listeners.set(signal, listener),
    };
    return { host, exits, signal: (name: NodeJS.Signals) => listeners.get(name)?.() };
  }
  const settled = () => new Promise((resolve) => setImmediate(resolve));

  it('writes down who it is while it runs, and stops on a signal', async () => {
    const { host, exits, signal } = scene();
    const stopped: string[] = [];
    await runService(host, async () => ({ stop: async () => void stopped.push('in order') }));
    expect(JSON.parse(readFileSync(host.recordFile, 'utf8'))).toEqual(ownIdentity());
    signal('SIGTERM');
    await settled();
    expect(stopped).toEqual(['in order']);
    expect(exits).toEqual([0]);
    expect(existsSync(host.recordFile)).toBe(false);
  });

  it('stops as soon as it has started when it is told to meanwhile', async () => {
    const { host, exits, signal } = scene();
    let started: (service: Service) => void = () => undefined;
    const running = runService(host, () => new Promise((resolve) => (started = resolve)));
    await settled();
    signal('SIGTERM');
    expect(exits).toEqual([]);
    started({ stop: async () => undefined });
    await running;
    expect(exits).toEqual([0]);
  });

  it('need not start to the end when it is told to stop meanwhile', async () => {
    const { host, exits, signal } = scene();
    const running = runService(
      host,
      ({ stopping }) => new Promise((_, reject) => stopping.addEventListener('abort', () => reject(new Error('stop')))),
    );
    await settled();
    signal('SIGTERM');
    await running;
    expect(exits).toEqual([0]);
  });

  it('stops without grace on a second signal', async () => {
    const { host, exits, signal } = scene();
    await runService(host, async () => ({ stop: () => new Promise(() => undefined), stopNow: async () => undefined }));
    signal('SIGINT');
    signal('SIGINT');
    await settled();
    expect(exits).toEqual([1]);
  });

  it('ends with a failure when it cannot start', async () => {
    const { host, exits } = scene();
    await runService(host, () => Promise.reject(new Error('no')));
    expect(exits).toEqual([1]);
    expect(existsSync(host.recordFile)).toBe(false);
  });
});
