import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { isKubeError } from '../schema/status.ts';
import type { CredentialSource, KubeConfig } from './client.ts';
import { execFrame, readExecOutcome } from './exec.ts';
import { createKubeClient } from './http-client.ts';

const PROTOCOLS = ['b', 'a'];
let end: (() => void) | undefined;
afterEach(() => end?.());

interface Scene {
  url: string;
  asked: IncomingMessage[];
}

/** Accepts with protocol `a`, unless `refuse` says with which answer not. */
async function serve(options: {
  refuse?: (request: IncomingMessage) => { status: number; body: string } | undefined;
  talk?: (socket: WebSocket) => void;
}): Promise<Scene> {
  const asked: IncomingMessage[] = [];
  const server: Server = createServer();
  const sockets = new WebSocketServer({ noServer: true, handleProtocols: () => 'a' });
  server.on('upgrade', (request, socket, head) => {
    asked.push(request);
    const refusal = options.refuse?.(request);
    if (!refusal) return sockets.handleUpgrade(request, socket, head, (accepted) => options.talk?.(accepted));
    socket.end(
      `HTTP/1.1 ${refusal.status} No\r\ncontent-length: ${Buffer.byteLength(refusal.body)}\r\nconnection: close\r\n\r\n${refusal.body}`,
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  end = () => {
    for (const client of sockets.clients) client.terminate();
    server.close();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

const open = (config: KubeConfig, signal?: AbortSignal) =>
  createKubeClient(config).socket('/api/v1/x?command=ls', { protocols: PROTOCOLS, ...(signal && { signal }) });

describe('a WebSocket to an API server', () => {
  it('goes below the path of the server, with token and protocols, and carries whole messages', async () => {
    const { url, asked } = await serve({
      talk(socket) {
        // At once: it comes in the same packet as the handshake.
        socket.send(Buffer.from([1, 2]));
        socket.on('message', (data) => {
          socket.send(data);
          socket.close();
        });
      },
    });
    const { protocol, frames } = await open({ server: `${url}/below/`, token: 'secret' });
    expect(protocol).toBe('a');
    frames.write(execFrame(0, 'echo'));
    const received: Buffer[] = [];
    for await (const frame of frames as AsyncIterable<Buffer>) received.push(frame);
    expect(received.map((frame) => [...frame])).toEqual([
      [1, 2],
      [0, ...Buffer.from('echo')],
    ]);
    expect(asked[0]?.url).toBe('/below/api/v1/x?command=ls');
    expect(asked[0]?.headers).toMatchObject({ authorization: 'Bearer secret', 'sec-websocket-protocol': 'b,a' });
  });

  it('asks again with new credentials when the old ones are refused', async () => {
    const tokens = ['old', 'new'];
    const credentials: CredentialSource = {
      current: async () => ({ token: tokens[0]! }),
      invalidate: () => void tokens.shift(),
    };
    const { url, asked } = await serve({
      refuse: ({ headers }) => (headers.authorization === 'Bearer old' ? { status: 401, body: '' } : undefined),
    });
    const { frames } = await open({ server: url, credentials });
    expect(asked.map(({ headers }) => headers.authorization)).toEqual(['Bearer old', 'Bearer new']);
    frames.destroy();
  });

  it('that is refused tells the Status of the server, or what a proxy said', async () => {
    const status = { kind: 'Status', apiVersion: 'v1', message: 'no such pod', reason: 'NotFound', code: 404 };
    const { url } = await serve({ refuse: () => ({ status: 404, body: JSON.stringify(status) }) });
    const refused = await open({ server: url }).catch((error: unknown) => error);
    expect(isKubeError(refused, 'NotFound') && refused.message).toBe('no such pod');
    end?.();
    const proxy = await serve({ refuse: () => ({ status: 502, body: 'bad gateway' }) });
    await expect(open({ server: proxy.url })).rejects.toThrow('HTTP 502 and no Status object: bad gateway');
  });

  it('to a server that is not there is unavailable', async () => {
    const refused = await open({ server: 'http://127.0.0.1:1' }).catch((error: unknown) => error);
    expect(isKubeError(refused, 'ServiceUnavailable')).toBe(true);
  });

  it('ends with its signal and with its client', async () => {
    const { url } = await serve({});
    const stop = new AbortController();
    const client = createKubeClient({ server: url });
    const [first, second] = await Promise.all(
      [stop.signal, undefined].map((signal) =>
        client.socket('/x', { protocols: PROTOCOLS, ...(signal && { signal }) }),
      ),
    );
    const closed = [first!, second!].map(({ frames }) => new Promise((resolve) => frames.once('close', resolve)));
    first!.frames.resume();
    stop.abort();
    await closed[0];
    await client.close();
    await closed[1];
    await expect(client.socket('/x', { protocols: PROTOCOLS })).rejects.toThrow('the client is closed');
  });
});

describe('the end of a command', () => {
  it.each([
    [{ status: 'Success' }, { exitCode: 0, message: '' }],
    [
      { status: 'Failure', message: 'gone', details: { causes: [{ reason: 'ExitCode', message: '3' }] } },
      { exitCode: 3, message: 'gone' },
    ],
    [
      { status: 'Failure', message: 'no runtime' },
      { exitCode: undefined, message: 'no runtime' },
    ],
  ])('is read from %j', (status, outcome) => {
    expect(readExecOutcome(Buffer.from(JSON.stringify(status)))).toEqual(outcome);
  });
  it('is read from plain words too, and not from the empty message at the beginning', () => {
    expect(readExecOutcome(Buffer.from('broken'))).toEqual({ exitCode: undefined, message: 'broken' });
    expect(readExecOutcome(Buffer.alloc(0))).toBeUndefined();
  });
});
