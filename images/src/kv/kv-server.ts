import { createServer, type Server, type Socket } from 'node:net';
import { log, messageOf } from '../runtime/log.ts';
import type { AppendLog } from './append-log.ts';
import { createRequestReader, encodeReply, failure, ProtocolError } from './resp.ts';
import { createSession, type SessionOptions } from './session.ts';

export interface KvServerOptions extends Omit<SessionOptions, 'id'> {
  appendLog: Pick<AppendLog, 'settled'>;
}

export interface KvServer {
  server: Server;
  connections(): number;
  /** Answers what has come in, then closes every connection. */
  stop(): void;
}

const MAX_CONNECTIONS = 1000;

export function createKvServer(options: KvServerOptions): KvServer {
  const sockets = new Set<Socket>();
  let lastId = 0;
  let stopping = false;

  /** One batch after the other: nothing is answered before it is kept, and a client that does not read is not read either. */
  async function serveClient(socket: Socket, id: number): Promise<void> {
    const session = createSession({ ...options, id });
    const reader = createRequestReader();
    // Not destroyed by leaving the loop: the last answer must still arrive.
    for await (const chunk of socket.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      const requests = reader.read(chunk);
      const replies: string[] = [];
      for (const words of requests) {
        replies.push(encodeReply(session.execute(words)));
        if (session.ended()) break;
      }
      await options.appendLog.settled();
      if (replies.length > 0 && !socket.write(replies.join(''), 'latin1')) await drained(socket);
      if (session.ended() || stopping) break;
    }
  }

  const server = createServer({ noDelay: true, allowHalfOpen: true }, (socket) => {
    lastId += 1;
    socket.on('error', (error) => log.warn(`a connection broke: ${error.message}`));
    socket.once('close', () => sockets.delete(socket));
    if (sockets.size >= MAX_CONNECTIONS) {
      socket.end(encodeReply(failure('ERR max number of clients reached')));
      return;
    }
    sockets.add(socket);
    serveClient(socket, lastId)
      .catch((error: unknown) => {
        if (error instanceof ProtocolError) socket.write(encodeReply(failure(`ERR Protocol error: ${error.message}`)));
        else if ((error as { code?: string }).code !== 'ERR_STREAM_PREMATURE_CLOSE')
          log.warn(`a connection ended: ${messageOf(error)}`);
      })
      .finally(() => socket.end());
  });

  return {
    server,
    connections: () => sockets.size,
    stop() {
      stopping = true;
      server.close();
      for (const socket of sockets) socket.end();
    },
  };
}

function drained(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      socket.off('drain', done).off('close', done);
      resolve();
    };
    socket.once('drain', done).once('close', done);
  });
}
