import type { Duplex } from 'node:stream';
import { BerthError } from '@berth/core/errors';
import { FORWARD_PROTOCOL, SOCKET_CLOSE } from '@berth/core/shell';
import { portForward } from '@berth/kube/client/port-forward';
import type { WebSocket } from 'ws';
import type { DeploymentView } from '../deployment/deployment-row.ts';
import type { HandlerContext, SocketAnswer } from '../http/handler.ts';
import { findPod, requireService } from './find-pod.ts';
import { loadDeployment } from './load-deployment.ts';
import { podFailure } from './pod-failure.ts';
import type { ShellDeps } from './shells.ts';
import { closeSocket, createSender, writeTo } from './socket-copy.ts';
import { watchAccess } from './watch-access.ts';

const HIGHEST_PORT = 65_535;

/** One TCP connection to a port of a pod, also to one that no address leads to. */
export async function forwardPort(
  { database, client, timer, guests }: ShellDeps,
  context: HandlerContext<'forwardPort'>,
): Promise<SocketAnswer> {
  const { query, params, audit, access, request } = context;
  const deployment = await loadDeployment(database, params.id);
  audit.target(deployment.name);
  const port = portOf(deployment, query);
  const { namespace, pod } = await findPod(client, deployment, query);
  audit.detail(`port ${port} of ${query.service}, pod ${pod}`);
  return {
    protocol: FORWARD_PROTOCOL,
    async serve(socket) {
      socket.once('close', guests.arrive());
      // What the client sends waits for the pod.
      socket.pause();
      let connection: Duplex;
      try {
        connection = await portForward(client, { namespace, pod, port });
      } catch (error) {
        const { code, reason } = podFailure(error);
        return closeSocket(socket, code, reason);
      }
      join(socket, connection);
      socket.resume();
      await watchAccess(socket, {
        access,
        timer,
        refuse: ({ code, reason }) => {
          request.log.debug({ reason }, 'a forwarded port was cut');
          closeSocket(socket, code, reason);
        },
      });
    },
  };
}

function join(socket: WebSocket, connection: Duplex): void {
  const send = createSender(socket, connection);
  connection.on('data', send);
  connection.once('end', () => closeSocket(socket, SOCKET_CLOSE.ended, 'The other side closed the connection.'));
  connection.on('error', (error) => closeSocket(socket, SOCKET_CLOSE.unavailable, error.message));
  connection.once('close', () => closeSocket(socket, SOCKET_CLOSE.unavailable, 'The connection broke off.'));
  socket.on('message', (data: Buffer) => {
    if (data.length === 0) connection.end();
    else writeTo(socket, connection, data);
  });
  socket.once('close', () => connection.destroy());
  if (socket.readyState === socket.CLOSED) connection.destroy();
}

function portOf(deployment: DeploymentView, query: { service: string; port: string }): number {
  const { ports = [] } = requireService(deployment, query.service);
  const named = ports.find(({ name }) => name === query.port);
  if (named) return named.port;
  const number = /^\d{1,5}$/.test(query.port) ? Number(query.port) : 0;
  if (number >= 1 && number <= HIGHEST_PORT) return number;
  const known = ports.map(({ name, port }) => `${name} (${port})`).join(', ') || 'none';
  throw new BerthError(
    'invalid_input',
    `The service "${query.service}" has no port "${query.port}". It has ${known}.`,
    {
      fields: [{ path: 'port', message: `is no port of "${query.service}": name one of ${known}, or give a number` }],
    },
  );
}
