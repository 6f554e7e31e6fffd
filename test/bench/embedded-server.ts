import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { BenchServer } from './bench-server.ts';

/** The embedded API server in a process of its own, on a PostgreSQL of its own. */
export async function startEmbedded(): Promise<BenchServer> {
  const child = fork(fileURLToPath(new URL('serve-embedded.ts', import.meta.url)));
  const config = await new Promise<BenchServer['config']>((resolve, reject) => {
    child.once('message', (message) => resolve(message as BenchServer['config']));
    child.once('exit', (code) => reject(new Error(`the embedded server ended with ${code} before it was ready`)));
  });
  return {
    config,
    stop: () =>
      new Promise((resolve) => {
        child.once('exit', () => resolve());
        child.disconnect();
      }),
  };
}
