import { createServer } from 'node:http';

/** Where the pods of the app tell what they count; it outlives them all. */
export interface LedgerServer {
  url: string;
  counted: { pod: string; id: string }[];
  close(): Promise<void>;
}

export async function startLedgerServer(address: string): Promise<LedgerServer> {
  const counted: LedgerServer['counted'] = [];
  const server = createServer((request, response) => {
    const [, pod = '', id = ''] = (request.url ?? '').split('/');
    counted.push({ pod, id });
    request.resume();
    response.end();
  });
  // Longer than a pod keeps a connection that it does not use.
  server.keepAliveTimeout = 300_000;
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, address, resolve));
  return {
    url: `http://${address}:${(server.address() as { port: number }).port}`,
    counted,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
