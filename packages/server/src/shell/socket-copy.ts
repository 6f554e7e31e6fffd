import type { Readable, Writable } from 'node:stream';
import type { WebSocket } from 'ws';

/** A client that has this much to take yet slows its source down; at half of it the source goes on. */
const MOST_WAITING_BYTES = 512 * 1024;
const CONTROL_REASON_BYTES = 123;

/** What can be read more slowly: a stream, or another socket. */
type Source = Pick<Readable, 'pause' | 'resume'> | Pick<WebSocket, 'pause' | 'resume'>;

/** Sends to a client, and stops reading the source while the client does not keep up. */
export function createSender(socket: WebSocket, source: Source): (data: Buffer) => void {
  let paused = false;
  const resume = () => {
    if (!paused) return;
    paused = false;
    source.resume();
  };
  // Nobody waits for a client that has gone.
  socket.once('close', resume);
  return (data) => {
    socket.send(data, () => {
      if (socket.bufferedAmount <= MOST_WAITING_BYTES / 2) resume();
    });
    if (paused || socket.bufferedAmount <= MOST_WAITING_BYTES || socket.readyState !== socket.OPEN) return;
    paused = true;
    source.pause();
  };
}

/** Writes what a client sends, and stops reading the client while the sink does not keep up. */
export function writeTo(socket: WebSocket, sink: Writable, data: Buffer): void {
  if (!sink.writable || sink.write(data)) return;
  socket.pause();
  const resume = () => {
    sink.off('drain', resume);
    sink.off('close', resume);
    socket.resume();
  };
  sink.on('drain', resume);
  sink.on('close', resume);
}

/** Closes with words. RFC 6455 leaves 123 bytes for them. */
export function closeSocket(socket: WebSocket, code: number, reason: string): void {
  const bytes = Buffer.from(reason);
  // A character that is cut in two would be refused as text that is no UTF-8.
  const text = bytes.length <= CONTROL_REASON_BYTES ? reason : `${cut(bytes, CONTROL_REASON_BYTES - 3)}...`;
  socket.close(code, text);
  // A client that was not being read could not be heard to agree.
  socket.resume();
}

function cut(bytes: Buffer, length: number): string {
  return bytes
    .subarray(0, length)
    .toString('utf8')
    .replace(/\uFFFD+$/, '');
}
