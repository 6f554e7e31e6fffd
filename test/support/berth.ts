import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, closeSync, existsSync, mkdtempSync, openSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { descendants, type Process, readProcess } from './processes.ts';

/** A Berth under test, started as a user starts it, found through what the kernel and its own folder tell. */
export interface Berth {
  readonly url: string;
  readonly port: number;
  readonly data: string;
  start(): Promise<void>;
  /** Orderly, as Ctrl-C. */
  stop(): Promise<void>;
  alive(): boolean;
  /** The platform's own processes by role; `postgres` is the postmaster. */
  roles(): Map<Role, Process>;
  log: string;
}

/** Started by root, Berth's database and apps are other users', who must be able to pass through. */
export function testFolder(prefix: string): string {
  const folder = mkdtempSync(join(tmpdir(), prefix));
  chmodSync(folder, 0o755);
  return folder;
}

export const ROLES = ['up', 'cluster', 'server', 'operator', 'router', 'postgres'] as const;
export type Role = (typeof ROLES)[number];

export function berthAt(options: { main: string; data: string; port: number; env?: Record<string, string> }): Berth {
  const { main, data, port } = options;
  const log = join(data, '..', 'up.log');
  let child: ChildProcess | undefined;

  const alive = () => child?.pid !== undefined && readProcess(child.pid) !== undefined;
  return {
    url: `http://localhost:${port}`,
    port,
    data,
    log,
    alive,
    async start() {
      const output = openSync(log, 'a');
      child = spawn(process.execPath, [main, 'up', '--data', data, '--port', String(port), '--plan', 'enterprise'], {
        stdio: ['ignore', output, output],
        env: { ...process.env, ...options.env },
        detached: true,
      });
      closeSync(output);
      await until('berth.json names the new process', 120_000, () => {
        if (!alive()) throw new Error(`berth ended while starting:\n${tail(log)}`);
        return readReady(data)?.pid === child?.pid;
      });
    },
    async stop() {
      if (!alive() || child?.pid === undefined) return;
      const { pid } = child;
      process.kill(pid, 'SIGTERM');
      await until('berth stops', 60_000, () => readProcess(pid) === undefined);
    },
    roles() {
      const found = new Map<Role, Process>();
      if (child?.pid === undefined) return found;
      const up = readProcess(child.pid);
      if (up) found.set('up', up);
      for (const process of descendants(child.pid)) {
        const mode = process.command[process.command.indexOf(main) + 1];
        const role = ROLES.find((each) => each === mode && process.command.includes(main));
        if (role) found.set(role, process);
      }
      const postmaster = readPostmaster(data);
      const process = postmaster && readProcess(postmaster.pid);
      if (process) found.set('postgres', process);
      return found;
    },
  };
}

export interface Postmaster {
  pid: number;
  port: number;
  socketDirectory: string;
}

/** PostgreSQL's own postmaster.pid, wherever in the data directory it is. */
export function readPostmaster(data: string): Postmaster | undefined {
  for (const folder of ['postgres/data', 'postgres', 'database/data', 'database']) {
    const file = join(data, folder, 'postmaster.pid');
    if (!existsSync(file)) continue;
    const lines = readFileSync(file, 'utf8').split('\n');
    if (lines.length > 5) return { pid: Number(lines[0]), port: Number(lines[3]), socketDirectory: lines[4] ?? '' };
  }
  return undefined;
}

export async function until(what: string, milliseconds: number, done: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + milliseconds;
  while (!(await done())) {
    if (performance.now() > deadline) throw new Error(`waited ${milliseconds / 1000} s in vain: ${what}`);
    await delay(100);
  }
}

export function tail(file: string, lines = 30): string {
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(-lines).join('\n') : '';
}

function readReady(data: string): { pid: number; url: string } | undefined {
  try {
    return JSON.parse(readFileSync(join(data, 'berth.json'), 'utf8'));
  } catch {
    return undefined;
  }
}
