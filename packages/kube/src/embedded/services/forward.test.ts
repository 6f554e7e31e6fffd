import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { EndpointSlice } from '../../schema/kinds/service.ts';
import { rotate, targetsFor } from './endpoint-choice.ts';
import { forward } from './forward.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function serve(onConnection: (socket: Socket) => void): Promise<number> {
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, onConnection);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

async function talk(port: number, text: string): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  socket.end(text);
  let answer = '';
  for await (const chunk of socket) answer += String(chunk);
  return answer;
}

const echoWhenEnded = (name: string) => (socket: Socket) => {
  let heard = '';
  socket.on('data', (chunk) => {
    heard += String(chunk);
  });
  socket.on('end', () => socket.end(`${name}:${heard}`));
  socket.resume();
};

describe('a connection to a Service', () => {
  it('is answered after the client has closed its half', async () => {
    const upstream = await serve(echoWhenEnded('a'));
    const proxy = await serve((client) => void forward(client, [{ host: '127.0.0.1', port: upstream }], 0));
    expect(await talk(proxy, 'x'.repeat(100_000))).toBe(`a:${'x'.repeat(100_000)}`);
  });

  it('goes to another endpoint when one refuses', async () => {
    const upstream = await serve(echoWhenEnded('b'));
    const targets = [
      { host: '127.0.0.1', port: 1 },
      { host: '127.0.0.1', port: upstream },
    ];
    const proxy = await serve((client) => void forward(client, targets, 0));
    expect(await talk(proxy, 'hi')).toBe('b:hi');
  });

  it('is refused when there is no endpoint', async () => {
    const proxy = await serve((client) => void forward(client, [], 0));
    await expect(talk(proxy, 'hi')).rejects.toThrow(/ECONNRESET|EPIPE/);
  });
});

describe('the choice of endpoints', () => {
  const slice = (endpoints: [string, boolean, boolean][]): EndpointSlice => ({
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: 's' },
    addressType: 'IPv4',
    ports: [{ name: 'web', port: 8080, protocol: 'TCP' }],
    endpoints: endpoints.map(([address, ready, terminating]) => ({
      addresses: [address],
      conditions: { ready, serving: true, terminating },
    })),
  });

  it('takes the ready ones, and those that go only when there is no other', () => {
    const port = { name: 'web', port: 80 };
    expect(
      targetsFor(
        [
          slice([
            ['a', true, false],
            ['b', false, true],
          ]),
        ],
        port,
      ),
    ).toEqual([{ host: 'a', port: 8080 }]);
    expect(targetsFor([slice([['b', false, true]])], port)).toEqual([{ host: 'b', port: 8080 }]);
    expect(targetsFor([slice([['a', true, false]])], { name: 'other', port: 81 })).toEqual([]);
  });

  it('goes round', () => {
    expect(rotate(['a', 'b', 'c'], 4)).toEqual(['b', 'c', 'a']);
  });
});
