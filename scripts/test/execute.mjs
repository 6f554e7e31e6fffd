// Runs a program of the tests, shows what it says and cuts it off when it takes too long.
import { spawn } from 'node:child_process';
import { root } from '../steps.mjs';

export const MINUTE_MS = 60_000;

/** Node in a process group of its own, so that what it started does not outlive a run that is cut off. Returns its exit code. */
export function execute(parameters, { env = {}, withinMs }) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, parameters, {
      cwd: root,
      stdio: 'inherit',
      detached: true,
      env: { ...process.env, ...env },
    });
    const end = (signal) => {
      try {
        process.kill(-child.pid, signal);
      } catch (error) {
        if (error.code !== 'ESRCH') throw error;
      }
    };
    const interrupt = () => end('SIGINT');
    process.once('SIGINT', interrupt);
    process.once('SIGTERM', interrupt);
    const timer = setTimeout(() => {
      console.error(`\nthis took longer than ${withinMs / MINUTE_MS} minutes and is cut off`);
      end('SIGTERM');
      setTimeout(() => end('SIGKILL'), 10_000).unref();
    }, withinMs);
    child.once('error', reject);
    child.once('close', (code) => {
      clearTimeout(timer);
      process.off('SIGINT', interrupt);
      process.off('SIGTERM', interrupt);
      resolve(code ?? 1);
    });
  });
}
