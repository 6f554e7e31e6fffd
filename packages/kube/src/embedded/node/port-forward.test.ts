import { createConnection } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { portForward } from '../../client/port-forward.ts';
import type { Pod } from '../../schema/kinds/pod.ts';
import { POD } from '../../schema/resources.ts';
import { isKubeError } from '../../schema/status.ts';
import { eventually, startTestCluster, type TestCluster } from '../testing/test-cluster.ts';

/** Sends back what it gets, and says goodbye when its client has said all. */
const ECHO = `
const { createServer } = require('node:net');
createServer({ allowHalfOpen: true }, (socket) => {
  socket.on('data', (data) => {
    if (String(data).startsWith('bye')) socket.end('goodbye');
    else if (!socket.write(data)) { socket.pause(); socket.once('drain', () => socket.resume()); }
  });
  socket.on('error', () => undefined);
}).listen(7000, process.env.LISTEN_ADDRESS);
`;
let test: TestCluster;
let namespace: string;
beforeAll(async () => {
  test = await startTestCluster();
  namespace = await test.namespace('forward');
  await test.client.create<Pod>(POD, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'echo', namespace },
    spec: {
      terminationGracePeriodSeconds: 1,
      containers: [
        {
          name: 'main',
          image: 'test.dev/shell',
          args: ['exec "$NODE" -e "$PROGRAM"'],
          env: [
            { name: 'NODE', value: process.execPath },
            { name: 'PROGRAM', value: ECHO.replaceAll('$', '$$$$') },
          ],
          readinessProbe: { tcpSocket: { port: 7000 }, periodSeconds: 1 },
        },
      ],
    },
  });
  await eventually(async () => {
    const { status } = await test.client.get<Pod>(POD, { namespace, name: 'echo' });
    expect(status?.containerStatuses?.[0]?.ready).toBe(true);
  });
}, 30_000);
afterAll(() => test.stop());

const toPod = (port = 7000) => portForward(test.client, { namespace, pod: 'echo', port });

describe('a forwarded port', () => {
  it('is one connection to the pod, byte for byte, also when the reader is slow', async () => {
    const connection = await toPod();
    const sent = Buffer.alloc(4 * 2 ** 20, '0123456789abcdef');
    const received: Buffer[] = [];
    const reading = (async () => {
      let size = 0;
      for await (const chunk of connection as AsyncIterable<Buffer>) {
        received.push(chunk);
        size += chunk.length;
        if (received.length % 32 === 0) await new Promise((resolve) => setTimeout(resolve, 2));
        if (size >= sent.length) connection.write('bye');
      }
    })();
    for (let at = 0; at < sent.length; at += 65_536) {
      if (!connection.write(sent.subarray(at, at + 65_536)))
        await new Promise((resolve) => connection.once('drain', resolve));
    }
    await reading;
    const all = Buffer.concat(received);
    expect(all.subarray(0, sent.length).equals(sent)).toBe(true);
    expect(all.subarray(sent.length).toString()).toBe('goodbye');
    connection.end();
  });

  it('ends when the pod ends the connection', async () => {
    const connection = await toPod();
    connection.write('bye');
    expect(await text(connection)).toBe('goodbye');
  });

  it('says that nobody listens there', async () => {
    const connection = await toPod(7001);
    await expect(text(connection)).rejects.toThrow(/port 7001 of pod forward\/echo: .*ECONNREFUSED/);
  });

  it('is closed in the pod when the client goes', async () => {
    const connection = await toPod();
    connection.write('x');
    await new Promise((resolve) => connection.once('data', resolve));
    connection.destroy();
    const { status } = await test.client.get<Pod>(POD, { namespace, name: 'echo' });
    // The pod goes on serving others.
    const direct = createConnection({ host: status!.podIP!, port: 7000 });
    direct.write('bye');
    expect(await text(direct)).toBe('goodbye');
  });

  it('is refused for a pod that is not there, and for a port that is none', async () => {
    const missing = await portForward(test.client, { namespace, pod: 'other', port: 1 }).catch((e: unknown) => e);
    expect(isKubeError(missing, 'NotFound')).toBe(true);
    await expect(toPod(0)).rejects.toThrow('port 0 is not a port');
  });
});
