import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { reparse, wantsWebSocket } from '@berth/kube/embedded/ingress/upgrades';
import type { FastifyInstance } from 'fastify';

/** A client that waits for the answer to its handshake. */
export interface Upgrade {
  socket: Socket;
  head: Buffer;
}

/**
 * Lets handshakes of WebSockets go the way of every other request: hooks, authentication, authorisation and the one error mapper see a
 * request and a response, and what refuses it is answered as plain HTTP. Whoever accepts one asks for its connection here.
 */
export function routeUpgrades(app: FastifyInstance): (request: IncomingMessage) => Upgrade | undefined {
  const upgrades = new WeakMap<IncomingMessage, Upgrade>();
  app.server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    if (!wantsWebSocket(request)) {
      reparse(app.server, request, { socket, head });
      return;
    }
    // Node has let go of the connection: without a listener a reset would end the process.
    socket.on('error', () => socket.destroy());
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    response.once('finish', () => socket.end());
    upgrades.set(request, { socket, head });
    app.routing(request, response);
  });
  return (request) => upgrades.get(request);
}
