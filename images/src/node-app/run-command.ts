import { type ChildProcess, spawn } from 'node:child_process';

export interface CommandPlace {
  directory: string;
  environment: Record<string, string>;
}

export interface Running {
  /** To it and all that it started; only with a group of its own. */
  signal(signal: NodeJS.Signals): void;
  /** Once it and all that it started have ended. */
  ended: Promise<number>;
}

/** Runs a line as a shell would; what it writes goes to our own output as it is. */
export function runCommand(line: string, { directory, environment }: CommandPlace, ownGroup = false): Running {
  // Held by whatever it starts: a shell that a signal ends before its program must not look like the end of the program.
  const stdio = ['ignore', 'inherit', 'inherit', 'pipe'] as const;
  const options = { cwd: directory, env: environment, stdio: [...stdio], detached: ownGroup };
  const child = spawn('/bin/sh', ['-c', line], options);
  const ended = new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
  return { ended, signal: (signal) => signalGroup(child, signal) };
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch (error) {
    // It has ended meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
