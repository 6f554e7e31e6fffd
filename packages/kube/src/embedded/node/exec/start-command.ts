import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { Readable, Writable } from 'node:stream';
import type { Clock } from '../../../client/clock.ts';
import type { CommandProcess, ExecEnd } from '../../api/node-agent.ts';
import { exitCodeOf, type Launch } from '../process/container-process.ts';
import { endSession } from '../process/end-session.ts';
import { findProgram } from './find-program.ts';
import { openTerminal } from './terminal.ts';

export interface CommandOptions {
  command: readonly string[];
  tty: boolean;
  clock: Clock;
}

/** In the environment of every command that was begun in a running container: when its node is gone, nobody reads it any more. */
export const COMMAND_VARIABLE = 'CONTAINER_COMMAND';

/** Runs a command beside a container's own: its environment, folder and user, in a session of its own. */
export function startCommand(container: Launch, { command, tty, clock }: CommandOptions): CommandProcess {
  const [name = '', ...parameters] = command;
  const launch = {
    ...container,
    argv: [name, ...parameters],
    environment: { ...container.environment, [COMMAND_VARIABLE]: 'yes', ...(tty ? { TERM: 'xterm' } : {}) },
  };
  const program = findProgram(name, launch);
  if ('exitCode' in program) return notStarted(program, tty);
  return tty ? onTerminal(launch, program.path, clock) : onPipes(launch, program.path, clock);
}

function onTerminal(launch: Launch, program: string, clock: Clock): CommandProcess {
  const { pid, input, output, resize, ended } = openTerminal(launch, program, clock);
  const kill = endOnce(pid, clock);
  return {
    stdin: input,
    stdout: output,
    stderr: undefined,
    resize,
    ended: ended.then(async ({ code, signal }) => {
      await kill();
      return { exitCode: signal > 0 ? 128 + signal : code };
    }),
    kill,
  };
}

function onPipes(launch: Launch, program: string, clock: Clock): CommandProcess {
  const [, ...parameters] = launch.argv;
  const child = spawn(program, parameters, {
    cwd: launch.directory,
    env: launch.environment,
    stdio: 'pipe',
    detached: true,
    ...launch.user,
  });
  // A program that does not read, or has ended, is no error of whoever writes to it.
  child.stdin.on('error', () => undefined);
  const kill = endOnce(child.pid, clock);
  return {
    stdin: child.stdin,
    stdout: child.stdout,
    stderr: child.stderr,
    resize: () => undefined,
    ended: endOf(child, program, kill),
    kill,
  };
}

/** Once: the number of a process that has ended may be another's the next time. */
function endOnce(pid: number | undefined, clock: Clock): CommandProcess['kill'] {
  let ending: Promise<void> | undefined;
  return ({ atOnce } = { atOnce: false }) => {
    ending ??= pid === undefined ? Promise.resolve() : endSession(pid, { clock, atOnce });
    return ending;
  };
}

function endOf(child: ChildProcessWithoutNullStreams, program: string, endRest: () => Promise<void>): Promise<ExecEnd> {
  return new Promise((resolve, reject) => {
    child.once('error', (error) => resolve({ exitCode: 126, message: `exec: "${program}": ${error.message}` }));
    child.once('exit', (code, signal) => {
      // What it leaves running would hold its output open for ever.
      endRest().then(() => resolve({ exitCode: exitCodeOf(code, signal) }), reject);
    });
  });
}

/** Says why, on the output that the reader looks at, and ends as a shell would. */
function notStarted({ exitCode, message }: { exitCode: number; message: string }, tty: boolean): CommandProcess {
  const text = Readable.from([Buffer.from(`${message}${tty ? '\r' : ''}\n`)]);
  const nothing = Readable.from([]);
  return {
    stdin: new Writable({ write: (_chunk, _encoding, done) => done() }),
    stdout: tty ? text : nothing,
    stderr: tty ? undefined : text,
    resize: () => undefined,
    ended: Promise.resolve({ exitCode, message }),
    kill: () => Promise.resolve(),
  };
}
