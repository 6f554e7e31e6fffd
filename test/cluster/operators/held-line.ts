import { createConnection, createServer, type Socket } from 'node:net';

/**
 * A line to the apiserver on which requests can be held up for as long as wanted; then they arrive in order. Answers and events go on:
 * whoever is held up learns of what there is to do, and tries. All is encrypted, so a write is known by its size.
 */
export interface HeldLine {
  port: number;
  /** From the next request of so many bytes on, that one included. Resolves when it has come. */
  holdFrom(bytes: number): Promise<void>;
  release(): void;
  end(): void;
}

export async function openLine(target: { host: string; port: number }): Promise<HeldLine> {
  const near = new Set<Socket>();
  const waiting: { to: Socket; bytes: Buffer }[] = [];
  let state: 'open' | 'held' | { from: number; begin: () => void } = 'open';

  function forward(to: Socket, bytes: Buffer): void {
    if (typeof state === 'object' && bytes.length >= state.from) {
      const { begin } = state;
      state = 'held';
      for (const socket of near) socket.pause();
      begin();
    }
    if (state === 'held') waiting.push({ to, bytes });
    else to.write(bytes);
  }

  const server = createServer((socket) => {
    const far = createConnection(target);
    near.add(socket);
    socket.on('data', (bytes) => forward(far, bytes));
    far.on('data', (bytes) => socket.write(bytes));
    for (const [from, to] of [[socket, far] as const, [far, socket] as const]) {
      from.once('close', () => to.destroy());
      // Its close says it all.
      from.on('error', () => undefined);
    }
    socket.once('close', () => near.delete(socket));
    if (state === 'held') socket.pause();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the line has no port');
  return {
    port: address.port,
    holdFrom: (from) =>
      new Promise((begin) => {
        state = { from, begin };
      }),
    release() {
      state = 'open';
      for (const { to, bytes } of waiting.splice(0)) to.write(bytes);
      for (const socket of near) socket.resume();
    },
    end() {
      server.close();
      for (const socket of near) socket.destroy();
    },
  };
}
