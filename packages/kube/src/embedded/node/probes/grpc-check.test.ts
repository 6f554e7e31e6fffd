import { createServer, type Http2Server, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { checkGrpc } from './grpc-check.ts';

let server: Http2Server | undefined;
afterEach(() => {
  server?.close();
  server = undefined;
});

/** A health service in its bytes. Tells what it was asked. */
async function serve(answer: (stream: ServerHttp2Stream) => void): Promise<{ port: number; asked: Promise<Buffer> }> {
  server = createServer();
  const asked = new Promise<Buffer>((resolve) => {
    server!.on('stream', (stream, headers) => {
      expect(headers[':path']).toBe('/grpc.health.v1.Health/Check');
      expect(headers['content-type']).toBe('application/grpc');
      const parts: Buffer[] = [];
      stream.on('data', (part: Buffer) => parts.push(part));
      stream.on('end', () => {
        resolve(Buffer.concat(parts));
        answer(stream);
      });
    });
  });
  await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', () => resolve()));
  return { port: (server.address() as AddressInfo).port, asked };
}

const respond = (message: number[], trailers: Record<string, string>) => (stream: ServerHttp2Stream) => {
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
  stream.on('wantTrailers', () => stream.sendTrailers(trailers));
  stream.end(Buffer.from([0, 0, 0, 0, message.length, ...message]));
};
const check = (port: number, service = '', timeoutMs = 2000) =>
  checkGrpc({ host: '127.0.0.1', port, service, timeoutMs });

describe('a gRPC probe', () => {
  it('passes when the service is serving, and asks for it by name', async () => {
    const { port, asked } = await serve(respond([0x08, 1], { 'grpc-status': '0' }));
    expect(await check(port, 'shop')).toEqual({ success: true, message: '' });
    expect([...(await asked)]).toEqual([0, 0, 0, 0, 6, 0x0a, 4, ...Buffer.from('shop')]);
  });
  it('writes the length of a long name in two bytes', async () => {
    const { port, asked } = await serve(respond([0x08, 1], { 'grpc-status': '0' }));
    await check(port, 'x'.repeat(300));
    expect([...(await asked).subarray(0, 8)]).toEqual([0, 0, 0, 0x01, 0x2f, 0x0a, 0xac, 0x02]);
  });
  it('fails when it is not serving', async () => {
    const { port } = await serve(respond([0x08, 2], { 'grpc-status': '0' }));
    expect((await check(port)).message).toBe('service unhealthy (responded with "NOT_SERVING")');
  });
  it('takes an empty answer for an unknown state', async () => {
    const { port } = await serve(respond([], { 'grpc-status': '0' }));
    expect((await check(port)).message).toContain('UNKNOWN');
  });
  it('says when the server knows no health service', async () => {
    const { port } = await serve((stream) =>
      stream.respond({ ':status': 200, 'grpc-status': '12' }, { endStream: true }),
    );
    expect((await check(port)).message).toContain('does not implement the grpc health protocol');
  });
  it('tells an error of the service with its words', async () => {
    const trailers = { 'grpc-status': '5', 'grpc-message': 'no%20such%20service' };
    const { port } = await serve((stream) => stream.respond({ ':status': 200, ...trailers }, { endStream: true }));
    expect(await check(port)).toEqual({ success: false, message: 'health rpc failed: code 5 no such service' });
  });
  it('fails in time when no answer comes, and when nobody listens', async () => {
    const { port } = await serve(() => undefined);
    expect((await check(port, '', 100)).message).toBe('timeout: health rpc did not complete within 100 ms');
    const refused = await check(1);
    expect(refused.success).toBe(false);
    expect(refused.message).toContain('failed to connect service at "127.0.0.1:1"');
  });
});
