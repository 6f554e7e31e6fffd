import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { EXEC_CHANNELS, execFrame } from '@berth/kube/client/exec';
import { createKubeClient } from '@berth/kube/client/http-client';
import { type WebSocket, WebSocketServer } from 'ws';

/**
 * A Kubernetes API server, as far as shells and forwarded ports see one: it lists pods, and speaks its two protocols over real sockets.
 * In its pods runs a shell of few words: `exit N` ends it, `say N TEXT` says that N times, anything else is echoed.
 */
export async function startPodServer() {
  const pods: object[] = [];
  const seen = { commands: [] as string[][], sizes: [] as string[], sockets: [] as WebSocket[] };
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(
      JSON.stringify({ apiVersion: 'v1', kind: 'PodList', metadata: { resourceVersion: '1' }, items: pods }),
    );
  });
  const sockets = new WebSocketServer({ server, handleProtocols: (offered) => [...offered][0] ?? false });
  sockets.on('connection', (socket: WebSocket, request: IncomingMessage) => {
    const url = new URL(request.url ?? '', 'http://cluster');
    seen.sockets.push(socket);
    if (url.pathname.endsWith('/portforward')) return echoPort(socket, Number(url.searchParams.get('ports')));
    seen.commands.push(url.searchParams.getAll('command'));
    for (const channel of [1, 2, 3]) socket.send(execFrame(channel, ''));
    runShell(socket, url.searchParams.getAll('command'), seen.sizes);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = createKubeClient({ server: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  return {
    client,
    pods,
    seen,
    async close() {
      await client.close();
      for (const socket of sockets.clients) socket.terminate();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
export type PodServer = Awaited<ReturnType<typeof startPodServer>>;

export function runningPod(name: string, { service = 'web', ready = true } = {}): object {
  return {
    metadata: { name, creationTimestamp: '2026-01-01T00:00:00Z' },
    spec: { containers: [{ name: service, image: 'x' }] },
    status: {
      phase: 'Running',
      conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }],
      containerStatuses: [{ name: service, state: { running: { startedAt: '2026-01-01T00:00:00Z' } } }],
    },
  };
}

function runShell(socket: WebSocket, [program]: string[], sizes: string[]): void {
  const end = (status: object) => {
    socket.send(execFrame(EXEC_CHANNELS.error, JSON.stringify({ kind: 'Status', metadata: {}, ...status })));
    socket.close(1000);
  };
  if (program === '/bin/missing') {
    end({ status: 'Failure', message: 'exec: "/bin/missing": no such file or directory' });
    return;
  }
  socket.on('message', (data: Buffer) => {
    const text = data.subarray(1).toString();
    if (data[0] === EXEC_CHANNELS.resize) sizes.push(text);
    if (data[0] !== EXEC_CHANNELS.stdin) return;
    const [, times, said] = /^say (\d+) (.*)$/.exec(text) ?? [];
    const [, code] = /^exit (\d+)$/.exec(text) ?? [];
    if (code === '0') end({ status: 'Success' });
    else if (code) {
      const causes = [{ reason: 'ExitCode', message: code }];
      end({ status: 'Failure', message: `exit code ${code}`, reason: 'NonZeroExitCode', details: { causes } });
    } else if (times) {
      for (let count = 0; count < Number(times); count++) socket.send(execFrame(EXEC_CHANNELS.stdout, said ?? ''));
    } else socket.send(execFrame(EXEC_CHANNELS.stdout, text));
  });
}

/** Says back what it hears; `bye` closes. Nobody listens on port 1. */
function echoPort(socket: WebSocket, port: number): void {
  const number = Buffer.from([port & 255, port >> 8]);
  for (const channel of [0, 1]) socket.send(Buffer.concat([Buffer.from([channel]), number]));
  if (port === 1) {
    socket.send(execFrame(1, 'connection refused'));
    socket.close(1000);
    return;
  }
  socket.on('message', (data: Buffer) => {
    socket.send(data);
    if (data.subarray(1).toString() === 'bye') socket.close(1000);
  });
}
