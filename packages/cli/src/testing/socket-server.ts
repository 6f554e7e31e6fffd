import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { WebSocket } from 'ws';
import { WebSocketServer } from 'ws';

/** A server of one WebSocket route; what `refuse` gives is sent as a problem instead. */
export interface SocketServer {
  url: string;
  requests: IncomingMessage[];
  close(): Promise<void>;
}

export async function startSocketServer(options: {
  protocol: string;
  accept(socket: WebSocket, request: IncomingMessage): void;
  refuse?: { status: number; body: object };
}): Promise<SocketServer> {
  const http = createServer();
  const sockets = new WebSocketServer({ noServer: true, handleProtocols: () => options.protocol });
  const requests: IncomingMessage[] = [];
  http.on('upgrade', (request, socket, head) => {
    requests.push(request);
    if (options.refuse) {
      const body = JSON.stringify(options.refuse.body);
      const type = 'content-type: application/problem+json\r\nconnection: close';
      socket.end(
        `HTTP/1.1 ${options.refuse.status} Refused\r\n${type}\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
      );
      return;
    }
    sockets.handleUpgrade(request, socket, head, (opened) => options.accept(opened, request));
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        for (const client of sockets.clients) client.terminate();
        http.close(() => resolve());
      }),
  };
}
