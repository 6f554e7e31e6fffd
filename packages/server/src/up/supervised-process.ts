import { type ChildProcess, spawn } from 'node:child_process';
import { lastLines, openLogFile } from '../processes/log-file.ts';
import { createRestartDelay } from '../processes/restart-delay.ts';
import type { ChildMessage, SupervisorMessage } from '../processes/supervisor-channel.ts';

/**
 * One process of Berth. It is spawned early, to load its code while others start, and works once it is told to `begin`. From
 * then on it is started again whenever it ends, ever more slowly, until it is asked to stop.
 *
 *   spawned -> (begin) -> running -> (ended) -> waiting -> running ...
 *                            \-> (stop) -> stopping -> ended
 */
export interface SupervisedProcess {
  name: string;
  /** Resolves when it is ready; rejects with a sentence when it cannot work. A process that only died tries again. */
  begin(): Promise<void>;
  stop(): Promise<void>;
  /** Once, for the impatient: no more grace. */
  hurry(): void;
}

export interface ProcessOptions {
  name: string;
  mainFile: string;
  environment: Record<string, string>;
  logFile: string;
  /** How long an orderly stop may take before it is killed. */
  stopWithinMs: number;
  /** What `hurry` sends: only the database's guard still has something to do first. */
  hurrySignal: 'SIGKILL' | 'SIGTERM';
  say(sentence: string): void;
}

const ROTATE_EVERY_MS = 60_000;
/** A first start that dies this often is hopeless. */
const MOST_DEATHS_BEFORE_READY = 5;

export function superviseProcess(options: ProcessOptions): SupervisedProcess {
  const { name, say } = options;
  const log = openLogFile(options.logFile);
  const rotation = setInterval(() => log.rotateIfLarge(), ROTATE_EVERY_MS);
  const delay = createRestartDelay();
  const firstReady = deferred();
  /** Spawned, and waiting to be told to begin. */
  const waiting = new Set<ChildProcess>();
  let begun = false;
  let stopping = false;
  let ready = false;
  let deathsBeforeReady = 0;
  let restart: NodeJS.Timeout | undefined;
  let child = start();

  function start(): ChildProcess {
    const startedAt = performance.now();
    // Detached: a Ctrl-C in the terminal reaches the supervisor alone, which stops its processes in order.
    const started = spawn(process.execPath, ['--enable-source-maps', options.mainFile, name], {
      detached: true,
      env: options.environment,
      stdio: ['ignore', log.descriptor, log.descriptor, 'ipc'],
    });
    started.on('message', (message) => hear(started, message as ChildMessage));
    started.once('error', (error) => say(`${name} cannot be started: ${error.message}`));
    started.once('exit', (code, signal) => {
      if (!stopping) ended(signal ?? `exit code ${code}`, performance.now() - startedAt);
    });
    return started;
  }

  function hear(from: ChildProcess, message: ChildMessage): void {
    if (message.type === 'hello') {
      waiting.add(from);
      if (begun) release();
    } else if (message.type === 'ready') {
      if (ready) say(`${name} is back`);
      ready = true;
      firstReady.resolve();
    } else if (message.type === 'failed') {
      if (ready) say(`${name}: ${message.sentence}`);
      else {
        // It says itself that another try would end the same way.
        stopping = true;
        firstReady.reject(new Error(message.sentence));
      }
    } else say(message.sentence);
  }

  function release(): void {
    for (const each of waiting)
      if (each.connected) each.send({ type: 'go' } satisfies SupervisorMessage, ignoreLostMessage);
    waiting.clear();
  }

  function ended(how: string, ranMs: number): void {
    waiting.clear();
    if (!ready && ++deathsBeforeReady >= MOST_DEATHS_BEFORE_READY) {
      const lines = lastLines(options.logFile, 5).join('\n');
      firstReady.reject(
        new Error(`${name} ended ${deathsBeforeReady} times (${how}); its log ${options.logFile} ends with\n${lines}`),
      );
      return;
    }
    say(`${name} ended (${how}) and is started again`);
    restart = setTimeout(() => {
      child = start();
    }, delay.next(ranMs));
  }

  return {
    name,
    begin() {
      begun = true;
      release();
      return firstReady.promise;
    },
    async stop() {
      stopping = true;
      clearTimeout(restart);
      clearInterval(rotation);
      await endProcess(child, options.stopWithinMs);
      log.close();
    },
    hurry() {
      stopping = true;
      clearTimeout(restart);
      child.kill(options.hurrySignal);
    },
  };
}

async function endProcess(child: ChildProcess, withinMs: number): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const exit = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill('SIGTERM');
  const kill = setTimeout(() => child.kill('SIGKILL'), withinMs);
  await exit;
  clearTimeout(kill);
}

/** Whoever did not get it is gone, and its exit says so. */
function ignoreLostMessage(): undefined {
  return undefined;
}

function deferred(): { promise: Promise<void>; resolve: () => void; reject: (error: Error) => void } {
  let resolve: () => void = () => undefined;
  let reject: (error: Error) => void = () => undefined;
  const promise = new Promise<void>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  // Nobody may be waiting for it at the moment it is rejected.
  promise.catch(() => undefined);
  return { promise, resolve, reject };
}
