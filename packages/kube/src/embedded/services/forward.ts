import { connect, type Socket } from 'node:net';
import { rotate, type Target } from './endpoint-choice.ts';

const CONNECT_TIMEOUT_MS = 3000;

/**
 * Carries one connection to the first target that accepts it. Either side may close its half and still hear the other; a side
 * that reads slowly holds the other back. A connection stays with its target whatever becomes of the endpoints.
 */
export async function forward(client: Socket, targets: Target[], turn: number): Promise<void> {
  client.on('error', () => client.destroy());
  for (const target of rotate(targets, turn)) {
    const upstream = await open(target);
    if (!upstream) continue;
    if (client.destroyed) upstream.destroy();
    else join(client, upstream);
    return;
  }
  // As a Service without endpoints in a real cluster: refused, not left hanging.
  client.resetAndDestroy();
}

function open(target: Target): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ ...target, allowHalfOpen: true });
    const timer = setTimeout(() => socket.destroy(new Error('connect timeout')), CONNECT_TIMEOUT_MS);
    const give = (result: Socket | undefined): void => {
      clearTimeout(timer);
      socket.removeListener('error', fail);
      resolve(result);
    };
    const fail = (): void => give(undefined);
    socket.once('error', fail);
    socket.once('connect', () => give(socket));
  });
}

function join(client: Socket, upstream: Socket): void {
  client.setNoDelay(true);
  upstream.setNoDelay(true);
  client.pipe(upstream);
  upstream.pipe(client);
  for (const [one, other] of [
    [client, upstream],
    [upstream, client],
  ] as const) {
    one.on('error', () => other.destroy());
    // A reset has no half: when one side is gone without an end, so is the other.
    one.on('close', (hadError) => {
      if (hadError || !one.readableEnded) other.destroy();
    });
  }
}
