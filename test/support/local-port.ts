import { createServer } from 'node:net';
import type { KubeClient } from '@berth/kube/client/client';
import { portForward } from '@berth/kube/client/port-forward';

/** A port of this machine, on loopback, that is a pod's while `use` goes on. */
export async function withLocalPort<T>(
  client: KubeClient,
  to: { namespace: string; pod: string; port: number },
  use: (port: number) => Promise<T>,
): Promise<T> {
  const server = createServer((socket) => {
    portForward(client, to).then(
      (remote) => {
        socket.pipe(remote).pipe(socket);
        for (const [one, other] of [
          [socket, remote],
          [remote, socket],
        ] as const)
          one.on('error', () => other.destroy()).on('close', () => other.destroy());
      },
      (error: Error) => socket.destroy(error),
    );
    // Told by the other side as well, which then knows no more than that it was cut.
    socket.on('error', () => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    return await use((server.address() as { port: number }).port);
  } finally {
    server.close();
  }
}
