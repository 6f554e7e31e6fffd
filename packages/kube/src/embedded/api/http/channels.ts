import type { Readable, Writable } from 'node:stream';
import { WebSocket } from 'ws';

/** Streams over one WebSocket: every message is binary and begins with the byte of its channel. Each side waits for the other. */
export async function sendFrame(socket: WebSocket, channel: number, payload: Uint8Array | string): Promise<void> {
  if (socket.readyState !== WebSocket.OPEN) return;
  const bytes = typeof payload === 'string' ? Buffer.from(payload) : payload;
  const frame = Buffer.concat([Buffer.from([channel]), bytes]);
  // The callback comes when the frame has left this process; its error is the end of the socket, which is heard elsewhere.
  await new Promise<void>((resolve) => socket.send(frame, () => resolve()));
}

/** Everything that the stream gives, no faster than the other side takes it. */
export async function copyOut(socket: WebSocket, channel: number, stream: Readable): Promise<void> {
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    if (socket.readyState !== WebSocket.OPEN) return;
    await sendFrame(socket, channel, chunk);
  }
}

/** Hands on what came for a stream; the socket is not read while the stream is full. */
export function writeIn(socket: WebSocket, stream: Writable, payload: Buffer): void {
  if (stream.writableEnded || stream.destroyed || stream.write(payload)) return;
  socket.pause();
  const resume = (): void => {
    stream.off('drain', resume);
    stream.off('close', resume);
    socket.resume();
  };
  stream.once('drain', resume);
  stream.once('close', resume);
}

/** Calls back for each message that has a channel, as one buffer. */
export function onFrame(socket: WebSocket, receive: (channel: number, payload: Buffer) => void): void {
  socket.on('message', (data: Buffer) => {
    if (data.length > 0) receive(data[0]!, data.subarray(1));
  });
}
