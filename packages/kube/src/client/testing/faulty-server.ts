import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { KubeObject } from '../../schema/object.ts';

/** What one watch does after its first events. */
export type WatchFault =
  | 'follow'
  | 'stall'
  | 'reset'
  | 'cut line'
  | 'garbage'
  | 'gone event'
  | 'gone status'
  | 'error event'
  | 'half open';

/**
 * A real HTTP server of one collection whose watches break in the ways that real connections do. Each watch takes the next
 * fault of the script; when it has run out they follow properly.
 */
export interface FaultyServer {
  url: string;
  script: WatchFault[];
  set(name: string, value: number): void;
  remove(name: string): void;
  objects(): KubeObject[];
  requests: string[];
  close(): Promise<void>;
}

export async function startFaultyServer(): Promise<FaultyServer> {
  const objects = new Map<string, KubeObject>();
  const history: { version: number; line: string }[] = [];
  const followers = new Set<() => void>();
  const sockets = new Set<Socket>();
  const script: WatchFault[] = [];
  const requests: string[] = [];
  let version = 1;

  function record(type: string, object: KubeObject): void {
    history.push({ version, line: `${JSON.stringify({ type, object })}\n` });
    for (const follow of followers) follow();
  }

  function follow(response: ServerResponse, from: number): void {
    let sent = from;
    const send = () => {
      for (const { version: at, line } of history) if (at > sent) response.write(line);
      sent = version;
    };
    send();
    followers.add(send);
    response.on('close', () => followers.delete(send));
  }

  function serveWatch(request: IncomingMessage, response: ServerResponse, from: number): void {
    const fault = script.shift() ?? 'follow';
    const expired = {
      kind: 'Status',
      apiVersion: 'v1',
      status: 'Failure',
      code: 410,
      reason: 'Expired',
      message: 'too old',
    };
    if (fault === 'gone status') {
      response.writeHead(410).end(JSON.stringify(expired));
      return;
    }
    response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
    const acts: Record<Exclude<WatchFault, 'gone status'>, () => void> = {
      follow: () => follow(response, from),
      stall: () => undefined,
      reset: () => (request.socket as Socket).resetAndDestroy(),
      'cut line': () => response.end('{"type":"ADDED","object":{"meta'),
      garbage: () => response.end('<html>proxy</html>\n'),
      'gone event': () => response.end(`${JSON.stringify({ type: 'ERROR', object: expired })}\n`),
      'error event': () =>
        response.end(
          `${JSON.stringify({ type: 'ERROR', object: { ...expired, code: 500, reason: 'InternalError' } })}\n`,
        ),
      // Reads nothing and says nothing any more, as a machine that lost its power.
      'half open': () => request.socket.pause(),
    };
    acts[fault]();
  }

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://server');
    const watch = url.searchParams.get('watch') === 'true';
    requests.push(watch ? 'watch' : 'list');
    if (watch) return serveWatch(request, response, Number(url.searchParams.get('resourceVersion')));
    const items = [...objects.values()];
    response.end(
      JSON.stringify({ kind: 'List', apiVersion: 'v1', metadata: { resourceVersion: String(version) }, items }),
    );
  });
  server.on('connection', (socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    script,
    requests,
    objects: () => [...objects.values()],
    set(name, value) {
      version++;
      const metadata = { name, namespace: 'team', uid: name, resourceVersion: String(version) };
      const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata, value };
      const type = objects.has(name) ? 'MODIFIED' : 'ADDED';
      objects.set(name, object);
      record(type, object);
    },
    remove(name) {
      const object = objects.get(name)!;
      version++;
      objects.delete(name);
      record('DELETED', { ...object, metadata: { ...object.metadata, resourceVersion: String(version) } });
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
