import { createServer } from 'node:net';
import type { KubeConfig } from '@berth/kube/client/client';

/** A server to measure, ready and empty. */
export interface BenchServer {
  config: KubeConfig;
  stop(): Promise<void>;
}

/** One that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
