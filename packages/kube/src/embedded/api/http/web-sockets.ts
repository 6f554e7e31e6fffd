import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { badRequest } from '../errors.ts';
import type { Reply } from './respond.ts';

/** What Node gives of a request that asks to change the protocol, besides the request. */
export interface Upgrade {
  socket: Duplex;
  head: Buffer;
}

/** Turns requests into WebSockets. Knows which are open, since a server's close does not. */
export interface WebSockets {
  /** Throws a KubeError when the request asks for no WebSocket, or for no protocol of these. Answers nothing itself. */
  negotiate(reply: Reply, protocols: readonly string[]): string;
  accept(reply: Reply, protocol: string): Promise<WebSocket>;
  closeAll(): void;
}

const LARGEST_MESSAGE_BYTES = 4 * 2 ** 20;
const TCP_KEEP_ALIVE_MS = 15_000;

export function createWebSockets(): WebSockets {
  const servers = new Map<string, WebSocketServer>();

  /** The library asks once for all which protocol to take, so there is one server a protocol. */
  function serverFor(protocol: string): WebSocketServer {
    const server =
      servers.get(protocol) ??
      new WebSocketServer({ noServer: true, maxPayload: LARGEST_MESSAGE_BYTES, handleProtocols: () => protocol });
    servers.set(protocol, server);
    return server;
  }

  return {
    negotiate({ request, upgrade }, protocols) {
      const wanted = request.headers.upgrade?.toLowerCase();
      if (!upgrade || wanted === undefined) throw badRequest('Upgrade request required');
      if (wanted !== 'websocket') {
        throw badRequest(`unable to upgrade to ${request.headers.upgrade}: this server speaks WebSocket only`);
      }
      const offered = offeredProtocols(request);
      const protocol = offered.find((one) => protocols.includes(one));
      if (protocol !== undefined) return protocol;
      const offer = offered.length === 0 ? 'no subprotocol' : offered.join(', ');
      throw badRequest(`unable to upgrade: the client offers ${offer}, this server speaks ${protocols.join(', ')}`);
    },
    accept({ request, response, upgrade }, protocol) {
      const { socket, head } = upgrade!;
      response.detachSocket(request.socket);
      request.socket.setKeepAlive(true, TCP_KEEP_ALIVE_MS);
      return new Promise((resolve, reject) => {
        // The library answers a broken handshake itself and closes the connection.
        socket.once('close', () => reject(new Error('the connection was closed during the handshake')));
        serverFor(protocol).handleUpgrade(request, socket, head, (webSocket) => {
          // A broken connection shows as its close.
          webSocket.on('error', () => undefined);
          webSocket.pause();
          resolve(webSocket);
        });
      });
    },
    closeAll() {
      for (const { clients } of servers.values()) for (const client of clients) client.terminate();
    },
  };
}

function offeredProtocols(request: IncomingMessage): string[] {
  return String(request.headers['sec-websocket-protocol'] ?? '')
    .split(',')
    .map((protocol) => protocol.trim())
    .filter((protocol) => protocol !== '');
}
