import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { until } from './until.ts';

/**
 * The processes of a cluster, found by a mark in their environment. There are no pid files: nothing can be stale, and what an interrupted
 * start left behind is found as well as what a whole one did.
 */
export interface Process {
  pid: number;
  /** Of the program that runs, without its folder. */
  program: string;
  part: string;
  stopped: boolean;
  residentBytes: number;
  /** Its number in the cluster's own namespace, where that differs. */
  inner: number;
}

const CLUSTER_MARK = 'BERTH_CLUSTER_OF';
const PART_MARK = 'BERTH_CLUSTER_PART';
const PAGE_BYTES = 4096;

export function marksOf(dir: string, part: string): Record<string, string> {
  return { [CLUSTER_MARK]: dir, [PART_MARK]: part };
}

export function findProcesses(dir: string): Process[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => readProcess(Number(pid), dir) ?? []);
}

/** Undefined for what is another's, and once the process is gone. */
function readProcess(pid: number, dir: string): Process | undefined {
  try {
    const environment = readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0');
    if (!environment.includes(`${CLUSTER_MARK}=${dir}`)) return undefined;
    const status = readFileSync(`/proc/${pid}/status`, 'latin1');
    const state = /^State:\s+(\S)/m.exec(status)?.[1];
    if (state === 'Z' || state === 'X') return undefined;
    const mark = `${PART_MARK}=`;
    return {
      pid,
      program: basename(readlinkSync(`/proc/${pid}/exe`).replace(/ \(deleted\)$/, '')),
      part: environment.find((entry) => entry.startsWith(mark))?.slice(mark.length) ?? '',
      stopped: state === 'T',
      residentBytes: Number(readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')[1]) * PAGE_BYTES,
      inner: Number(/^NSpid:.*\s(\d+)$/m.exec(status)?.[1] ?? pid),
    };
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}

/** Gone meanwhile, or not ours to look into. */
function isGone(error: unknown): boolean {
  return ['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '');
}

export interface Start {
  command: string[];
  environment: Record<string, string>;
  directory: string;
  log: string;
}

/** Starts what outlives this process, in a process group of its own. */
export async function startDetached({ command, environment, directory, log }: Start): Promise<void> {
  await mkdir(dirname(log), { recursive: true });
  const output = await open(log, 'a');
  try {
    const [program, ...parameters] = command;
    const child = spawn(program!, parameters, {
      cwd: directory,
      env: environment,
      detached: true,
      stdio: ['ignore', output.fd, output.fd],
    });
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', reject);
    });
    child.unref();
  } finally {
    await output.close();
  }
}

/** Ends them, gently for so long and then at once, and returns when they are gone. A stopped one hears nothing, so it goes on first. */
export async function endProcesses(find: () => Process[], gentlyForMs: number): Promise<void> {
  for (const { pid } of find()) {
    signal(pid, 'SIGTERM');
    signal(pid, 'SIGCONT');
  }
  const gone = () => find().length === 0;
  if (gentlyForMs > 0 && (await until(gone, gentlyForMs))) return;
  await until(() => {
    for (const { pid } of find()) signal(pid, 'SIGKILL');
    return gone();
  }, 10_000);
  if (!gone()) throw new Error(`still there after SIGKILL: ${find().map(({ pid, part }) => `${part} (${pid})`)}`);
}

export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}
