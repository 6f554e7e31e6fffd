import { createHash } from 'node:crypto';
import { createServer } from 'node:net';
import { until } from './until.ts';

const WAIT_MS = 3_600_000;

/**
 * One at a time for what is named: the lock is a name in the kernel's own list of sockets, so it goes with the process that holds it,
 * however that ends.
 */
export async function withLock<T>(name: string, work: () => Promise<T>): Promise<T> {
  const address = `\0berth-cluster-${createHash('sha256').update(name).digest('hex').slice(0, 32)}`;
  const server = createServer();
  let failure: unknown;
  const tryOnce = () =>
    new Promise<boolean>((resolve) => {
      server.once('error', (error) => {
        failure = error;
        resolve(false);
      });
      server.listen(address, () => resolve(true));
    });
  if (!(await tryOnce())) {
    console.log(`Waiting for another command that works on ${name} ...`);
    if (!(await until(tryOnce, WAIT_MS))) throw failure;
  }
  try {
    return await work();
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
}
