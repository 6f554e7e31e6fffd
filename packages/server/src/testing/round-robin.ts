import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/**
 * A balancer that knows nothing: each connection goes to the next of its targets, whoever it is from. One that is not there breaks the
 * connection, as a real one does until it has noticed.
 */
export interface RoundRobin {
  port: number;
  targets: number[];
  /** How many connections each port got. */
  counts: Map<number, number>;
  close(): Promise<void>;
}

export async function startRoundRobin(targets: number[]): Promise<RoundRobin> {
  const counts = new Map<number, number>();
  const open = new Set<Socket>();
  const balancer = { targets, next: 0 };
  const server = createServer((socket) => {
    const port = balancer.targets[balancer.next++ % balancer.targets.length] ?? 0;
    counts.set(port, (counts.get(port) ?? 0) + 1);
    const upstream = connect({ port, host: '127.0.0.1' });
    for (const [one, other] of [
      [socket, upstream],
      [upstream, socket],
    ] as const) {
      open.add(one);
      one.on('error', () => other.destroy());
      one.once('close', () => {
        open.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  });
  const port = await listenSomewhere(server);
  return {
    port,
    targets: balancer.targets,
    counts,
    async close() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listenSomewhere(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function listenSomewhere(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}
