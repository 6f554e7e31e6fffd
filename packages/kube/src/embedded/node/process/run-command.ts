import { spawn } from 'node:child_process';
import type { HandlerLimits, HandlerResult } from '../probes/run-handler.ts';
import type { Launch } from './container-process.ts';
import { signalGroup } from './process-identity.ts';

const KEPT_OUTPUT_BYTES = 1024;

/** Runs a command as a container does: its environment, folder and user; ended with all it started when the time is over. */
export function runCommand(
  launch: Launch,
  command: string[],
  { timeoutMs, signal }: HandlerLimits,
): Promise<HandlerResult> {
  const [program = '', ...parameters] = command;
  return new Promise((resolve) => {
    const child = spawn(program, parameters, {
      cwd: launch.directory,
      env: launch.environment,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
      ...launch.user,
    });
    let output = '';
    const keep = (chunk: Buffer): void => {
      if (output.length < KEPT_OUTPUT_BYTES) output += chunk.toString('utf8');
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    let timedOut = false;
    const kill = (): void => {
      if (child.pid !== undefined) signalGroup(child.pid, 'SIGKILL');
    };
    const timer = setTimeout(() => {
      timedOut = true;
      kill();
    }, timeoutMs);
    const settle = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', kill);
    };
    signal?.addEventListener('abort', kill);
    if (signal?.aborted) kill();
    child.once('error', (error) => {
      settle();
      resolve({ success: false, message: `cannot run ${program}: ${error.message}` });
    });
    child.once('close', (code) => {
      settle();
      const message = timedOut
        ? `command ${program} timed out after ${timeoutMs} ms`
        : output.trim() || `exit code ${code}`;
      resolve({ success: code === 0 && !timedOut, message: code === 0 && !timedOut ? '' : message });
    });
  });
}
