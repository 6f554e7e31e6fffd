import { spawn } from 'node:child_process';
import type { HandlerResult } from '../probes/run-handler.ts';
import type { Launch } from './container-process.ts';
import { signalGroup } from './process-identity.ts';

const KEPT_OUTPUT_BYTES = 1024;

/** Runs a command as a container does: its environment, folder and user; ended with all it started when the time is over. */
export function runCommand(launch: Launch, command: string[], timeoutMs: number): Promise<HandlerResult> {
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
    const timer = setTimeout(() => {
      timedOut = true;
      if (child.pid !== undefined) signalGroup(child.pid, 'SIGKILL');
    }, timeoutMs);
    child.once('error', (error) => {
      clearTimeout(timer);
      resolve({ success: false, message: `cannot run ${program}: ${error.message}` });
    });
    child.once('close', (code) => {
      clearTimeout(timer);
      const message = timedOut
        ? `command ${program} timed out after ${timeoutMs} ms`
        : output.trim() || `exit code ${code}`;
      resolve({ success: code === 0 && !timedOut, message: code === 0 && !timedOut ? '' : message });
    });
  });
}
