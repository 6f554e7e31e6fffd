import { createServer, type Server, type Socket } from 'node:net';
import type { Deployment } from '@berth/core/deployment';
import { FORWARD_PROTOCOL } from '@berth/core/shell';
import { createWebSocketStream } from 'ws';
import type { ApiClient } from '../api-client.ts';
import type { CliContext } from '../context.ts';
import { CliError, EXIT_CODES } from '../exit-codes.ts';
import { findDeployment } from '../find-deployment.ts';
import { refusalOf } from '../socket-refusal.ts';
import { type CommonOptions, type Register, withCommonOptions } from './command.ts';
import { chooseService } from './exec.ts';

interface ForwardOptions extends CommonOptions {
  service?: string;
  address: string;
}

export const registerPortForward: Register = (program, context) => {
  withCommonOptions(
    program
      .command('port-forward')
      .summary('a port of a service on this machine')
      .description('Makes a port of a service reachable on this machine, until Ctrl-C. Private ports too.')
      .argument('<name>')
      .argument('<[local:]port>', "a port's number or name, such as 5432, 15432:5432 or 8080:http")
      .option('--service <service>', 'which one, where there are several')
      .option('--address <address>', 'where to listen', '127.0.0.1'),
  ).action((name: string, ports: string, options: ForwardOptions) => forward(context, { name, ports }, options));
};

async function forward(
  context: CliContext,
  { name, ports }: { name: string; ports: string },
  options: ForwardOptions,
): Promise<void> {
  const { connection, deployment } = await findDeployment(context, name, options);
  const { local, remote } = parsePorts(ports);
  const service = chooseService(deployment, options.service ?? onlyServiceWith(deployment, remote));
  const known = deployment.services.find((each) => each.name === service)?.ports ?? [];
  const port = known.find((each) => isPort(each, remote));
  if (!port && known.length > 0) {
    const names = known.map((each) => `${each.name} (${each.port})`).join(', ');
    throw new CliError(EXIT_CODES.notFound, `${service} has no port "${remote}"; it has ${names}`);
  }
  const target = { id: deployment.id, service, port: remote };
  const server = createServer((socket) => carry(context, connection.client, { socket, target }));
  const wanted = local ?? port?.port ?? 0;
  const listening = await listen(server, wanted, options.address);
  context.output.write(`${options.address}:${listening} reaches ${service}:${remote} of ${name}; Ctrl-C ends it\n`);
  await untilAborted(context.signal);
  server.close();
}

function isPort({ name, port }: { name: string; port: number }, wanted: string): boolean {
  return name === wanted || String(port) === wanted;
}

/** Where there are several services, a port that only one of them has tells which is meant. */
function onlyServiceWith({ services }: Deployment, port: string): string | undefined {
  const having = services.filter(({ ports }) => ports.some((each) => isPort(each, port)));
  return having.length === 1 ? having[0]?.name : undefined;
}

/** One TCP connection is one WebSocket, byte for byte. */
function carry(
  context: CliContext,
  client: ApiClient,
  { socket, target }: { socket: Socket; target: { id: string; service: string; port: string } },
): void {
  const { id, service, port } = target;
  const { url, headers } = client.socketRequest('forwardPort', { params: { id }, query: { service, port } });
  const webSocket = context.openSocket(url, { headers, protocol: FORWARD_PROTOCOL });
  const stream = createWebSocketStream(webSocket);
  webSocket.on('unexpected-response', (_request, response) => {
    void refusalOf(response).then(({ message }) => {
      context.output.note(`a connection was refused: ${message}\n`);
      socket.destroy();
    });
  });
  webSocket.on('close', (code, reason) => {
    if (code >= 4000) context.output.note(`a connection ended: ${reason.toString('utf8')}\n`);
  });
  // Either side may break off; the other then ends too.
  socket.on('error', () => stream.destroy());
  stream.on('error', () => socket.destroy());
  socket.pipe(stream).pipe(socket);
}

function listen(server: Server, port: number, address: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      reject(
        new CliError(
          EXIT_CODES.failure,
          `cannot listen on ${address}:${port}: ${error.message}; name another as OTHER:PORT`,
        ),
      );
    });
    server.listen(port, address, () => resolve((server.address() as { port: number }).port));
  });
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

function parsePorts(text: string): { local: number | undefined; remote: string } {
  const [, local, remote] = /^(?:(\d{1,5}):)?([a-z0-9-]{1,63})$/.exec(text) ?? [];
  if (remote === undefined || Number(local) > 65_535) {
    throw new CliError(EXIT_CODES.usage, `"${text}" is not right: write PORT or LOCAL:PORT, such as 15432:5432`);
  }
  return { local: local === undefined ? undefined : Number(local), remote };
}
