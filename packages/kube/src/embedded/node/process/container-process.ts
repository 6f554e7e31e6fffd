import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, rmSync } from 'node:fs';
import type { Clock } from '../../../client/clock.ts';
import type { ContainerTermination } from '../../../schema/kinds/pod.ts';
import { timestamp } from '../../controllers/controller-context.ts';
import type { ContainerRecord } from './container-record.ts';
import { readRecord, writeRecord } from './container-record.ts';
import {
  findByEnvironment,
  identifyProcess,
  isAlive,
  signalGroup,
  signalGroupOf,
  signalProcess,
} from './process-identity.ts';
import { nextBackoff, type RestartTimings } from './restart-backoff.ts';

/** What to run: everything resolved, nothing inherited from the node. */
export interface Launch {
  argv: string[];
  environment: Record<string, string>;
  directory: string;
  user: WorkloadUser | undefined;
  declaration: string;
  image: string;
}

export interface WorkloadUser {
  uid: number;
  gid: number;
}

/** One container of one pod: at most one process at a time, over any number of attempts and nodes. */
export interface ContainerProcess {
  record(): ContainerRecord | undefined;
  isRunning(): boolean;
  /** Takes up what an earlier node left: adopts its process, or finds that it ended. Call once, before `start`. */
  adopt(): void;
  start(launch: Launch): void;
  signal(signal: NodeJS.Signals): void;
  /** Ends it at once, for a reason that its status then tells. */
  kill(because: { reason: string; message: string }): void;
  /** The end was the node's doing and not the container's: the next start need not wait. */
  forgive(): void;
  /** Stops looking; the process goes on. */
  leave(): void;
}

export interface ContainerProcessOptions {
  /** Folder with the record and the output files. */
  directory: string;
  /** Marks the process in its environment, unique to pod and container. */
  mark: string;
  clock: Clock;
  restart: RestartTimings;
  pollMs: number;
  onExit: () => void;
}

/** In the environment of every container, so that a process can be told from all others after a crash. */
export const MARK_VARIABLE = 'CONTAINER_ID';

export function createContainerProcess(options: ContainerProcessOptions): ContainerProcess {
  const { clock, directory } = options;
  const file = `${directory}/record.json`;
  let record = readRecord(file);
  let stopPolling: (() => void) | undefined;
  /** A node that leaves must not take note of what happens after. */
  let left = false;
  /** Why this node ended an attempt. */
  let killed: { attempt: number; reason: string; message: string } | undefined;

  function save(next: ContainerRecord): void {
    writeRecord(file, next);
    record = next;
  }

  function ended(
    attempt: number,
    outcome: Pick<ContainerTermination, 'exitCode' | 'reason'> & Partial<ContainerTermination>,
  ): void {
    if (left || !record || record.attempt !== attempt || record.phase === 'exited') return;
    stopPolling?.();
    // What the leader leaves of its group would hold ports and files against the next attempt.
    if (record.process) signalGroupOf(record.process, 'SIGKILL');
    endRemaining(containerId(options.mark, attempt));
    const now = clock.now();
    const startedAt = timestamp(record.startedAt ?? now);
    const { reason = outcome.reason, message = outcome.message } = killed?.attempt === attempt ? killed : {};
    const termination = {
      ...outcome,
      reason,
      ...(message === undefined ? {} : { message }),
      startedAt,
      finishedAt: timestamp(now),
      containerID: containerId(options.mark, attempt),
    };
    save({ ...record, phase: 'exited', finishedAt: now, termination });
    options.onExit();
  }

  function endedUnseen(attempt: number): void {
    // Perhaps the machine went down: no reason to punish the container for it.
    if (record) record = { ...record, backoffMs: 0 };
    ended(attempt, UNKNOWN_END);
  }

  function poll(attempt: number): void {
    const look = (): void => {
      if (record?.process && isAlive(record.process)) stopPolling = clock.after(options.pollMs, look);
      else ended(attempt, UNKNOWN_END);
    };
    stopPolling = clock.after(options.pollMs, look);
  }

  function adoptStarting(starting: ContainerRecord): void {
    const mark = containerId(options.mark, starting.attempt);
    const leader = findByEnvironment(MARK_VARIABLE, mark)
      .map(identifyProcess)
      .filter((identity) => identity !== undefined)
      .sort((a, b) => Number(a.startTime) - Number(b.startTime) || a.pid - b.pid)[0];
    if (leader) {
      save({ ...starting, phase: 'running', process: leader, startedAt: clock.now() });
      poll(starting.attempt);
    } else {
      forget(starting);
    }
  }

  /** The process never was: the attempt does not count, and the one before stands as it ended. */
  function forget({ attempt, previous, ...starting }: ContainerRecord): void {
    if (attempt > 0 && previous) {
      save({ ...starting, attempt: attempt - 1, phase: 'exited', termination: previous, finishedAt: clock.now() });
    } else {
      rmSync(file, { force: true });
      record = undefined;
    }
  }

  return {
    record: () => record,
    isRunning: () => record?.phase === 'running',
    adopt() {
      if (record?.phase === 'starting') adoptStarting(record);
      else if (record?.phase === 'running') {
        if (record.process && isAlive(record.process)) poll(record.attempt);
        else endedUnseen(record.attempt);
      }
    },
    start(launch) {
      if (record && record.phase !== 'exited') throw new Error(`container ${options.mark} is running already`);
      const attempt = record ? record.attempt + 1 : 0;
      const { declaration, image } = launch;
      const previous = record?.termination ? { previous: record.termination } : {};
      const backoffMs = nextBackoff(record, options.restart);
      save({ attempt, phase: 'starting', declaration, image, backoffMs, ...previous });
      const child = spawnDetached(launch, { directory, mark: containerId(options.mark, attempt) });
      child.once('error', (error) => ended(attempt, { exitCode: 128, reason: 'StartError', message: error.message }));
      child.once('exit', (code, signal) => {
        // By number, since a container that ended at once was never identified.
        if (child.pid !== undefined) signalGroup(child.pid, 'SIGKILL');
        ended(attempt, outcomeOf(code, signal));
      });
      const identity = child.pid === undefined ? undefined : identifyProcess(child.pid);
      if (record && record.phase === 'starting') {
        save({ ...record, phase: 'running', startedAt: clock.now(), ...(identity ? { process: identity } : {}) });
      }
    },
    signal(signal) {
      if (record?.phase === 'running' && record.process && isAlive(record.process))
        signalGroup(record.process.pid, signal);
    },
    kill(because) {
      if (record?.phase !== 'running' || !record.process) return;
      killed = { attempt: record.attempt, ...because };
      if (isAlive(record.process)) signalGroup(record.process.pid, 'SIGKILL');
    },
    forgive() {
      if (record) save({ ...record, backoffMs: 0 });
    },
    leave() {
      left = true;
      stopPolling?.();
    },
  };
}

export function containerId(mark: string, attempt: number): string {
  return `${mark}/${attempt}`;
}

/** As the end of a container's first process ends all in it: also what began a session of its own and lost its parent. */
function endRemaining(mark: string): void {
  for (let look = 0; look < LOOKS; look++) {
    const remaining = findByEnvironment(MARK_VARIABLE, mark).filter((pid) => identifyProcess(pid) !== undefined);
    if (remaining.length === 0) return;
    for (const pid of remaining) signalProcess(pid, 'SIGKILL');
  }
}

/** One may begin another between the look and the signal. */
const LOOKS = 5;

/** Nobody hears the exit code of a process that is not one's child. */
const UNKNOWN_END = {
  exitCode: 137,
  reason: 'ContainerStatusUnknown',
  message: 'The container ended while no node was its parent, so its exit code is not known.',
};

function spawnDetached(launch: Launch, to: { directory: string; mark: string }): ChildProcess {
  const [command = '', ...parameters] = launch.argv;
  // Appending to a file can neither block nor break: the container outlives the node, and its output with it.
  const stdout = openSync(`${to.directory}/stdout.raw`, 'a', 0o600);
  const stderr = openSync(`${to.directory}/stderr.raw`, 'a', 0o600);
  try {
    const child = spawn(command, parameters, {
      cwd: launch.directory,
      env: { ...launch.environment, [MARK_VARIABLE]: to.mark },
      stdio: ['ignore', stdout, stderr],
      detached: true,
      ...launch.user,
    });
    child.unref();
    return child;
  } finally {
    closeSync(stdout);
    closeSync(stderr);
  }
}

function outcomeOf(
  code: number | null,
  signal: NodeJS.Signals | null,
): Pick<ContainerTermination, 'exitCode' | 'reason'> {
  const exitCode = exitCodeOf(code, signal);
  return { exitCode, reason: exitCode === 0 ? 'Completed' : 'Error' };
}

/** As a shell counts: 128 and the number of the signal. */
export function exitCodeOf(code: number | null, signal: NodeJS.Signals | null): number {
  return code ?? 128 + (SIGNAL_NUMBERS[signal ?? ''] ?? 0);
}

const SIGNAL_NUMBERS: Record<string, number> = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGQUIT: 3,
  SIGILL: 4,
  SIGTRAP: 5,
  SIGABRT: 6,
  SIGBUS: 7,
  SIGFPE: 8,
  SIGKILL: 9,
  SIGUSR1: 10,
  SIGSEGV: 11,
  SIGUSR2: 12,
  SIGPIPE: 13,
  SIGALRM: 14,
  SIGTERM: 15,
};
