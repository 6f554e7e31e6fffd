import { connect as connectTcp } from 'node:net';
import { BerthError, toProblem } from '@berth/core/errors';
import { CHANNELS, FORWARD_PROTOCOL, SHELL_PROTOCOL } from '@berth/core/shell';
import { expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { runScene, type Scene } from '../testing/run-scene.ts';
import { deployment, service } from '../testing/samples.ts';
import { type SocketServer, startSocketServer } from '../testing/socket-server.ts';

const frame = (channel: number, text: string) => Buffer.concat([Buffer.from([channel]), Buffer.from(text)]);
const succeeded = frame(CHANNELS.error, JSON.stringify({ status: 'Success' }));
const exited = (code: number) =>
  frame(
    CHANNELS.error,
    JSON.stringify({
      status: 'Failure',
      reason: 'NonZeroExitCode',
      details: { causes: [{ reason: 'ExitCode', message: String(code) }] },
    }),
  );

async function start(options: Parameters<typeof startSocketServer>[0]): Promise<SocketServer> {
  const server = await startSocketServer(options);
  onTestFinished(() => server.close());
  return server;
}

/** The API is the fixture's, the sockets go to the server. */
function sceneOf(server: SocketServer, more: Partial<Scene> = {}): Scene {
  const services = [service('web', { ports: [{ name: 'http', port: 8080 }] })];
  return {
    handlers: { listDeployments: () => ({ items: [deployment({ services })] }) },
    openSocket: (url, { headers, protocol }) =>
      new WebSocket(url.replace(/^ws:\/\/[^/]+/, server.url.replace('http', 'ws')), [protocol], { headers }),
    ...more,
  };
}

it('runs a command, keeps output and errors apart and ends with its exit code', async () => {
  const server = await start({
    protocol: SHELL_PROTOCOL,
    accept(socket) {
      socket.send(frame(CHANNELS.stdout, 'total 0\n'));
      socket.send(frame(CHANNELS.stderr, 'no such file\n'));
      socket.send(exited(2));
      socket.close(1000);
    },
  });
  const result = await runScene(['exec', 'book', '--', 'ls', '-l', 'a b'], sceneOf(server));
  expect(result).toMatchObject({ exitCode: 2, output: 'total 0\n', notes: 'no such file\n' });
  const asked = new URL(server.requests[0]?.url ?? '', server.url);
  expect(asked.searchParams.getAll('command')).toEqual(['ls', '-l', 'a b']);
  expect(asked.searchParams.get('tty')).toBe('false');
  expect(server.requests[0]?.headers.authorization).toBe('Bearer berth_token');
});

it('sends standard input and says when it ends', async () => {
  const got: string[] = [];
  const server = await start({
    protocol: SHELL_PROTOCOL,
    accept(socket) {
      socket.on('message', (data: Buffer) => {
        if (data[0] === CHANNELS.stdin) got.push(data.subarray(1).toString());
        if (data[0] !== CHANNELS.close) return;
        socket.send(succeeded);
        socket.close(1000);
      });
    },
  });
  const result = await runScene(
    ['exec', 'book', '--stdin', '--', 'cat'],
    sceneOf(server, { standardInput: 'héllo\n' }),
  );
  expect(result.exitCode).toBe(0);
  expect(got.join('')).toBe('héllo\n');
});

it('takes a shell up again where it was when the connection breaks', async () => {
  const offsets: (string | null)[] = [];
  const server = await start({
    protocol: SHELL_PROTOCOL,
    accept(socket, request) {
      const query = new URL(request.url ?? '', 'http://x').searchParams;
      offsets.push(query.get('offset'));
      if (offsets.length === 1) {
        socket.send(frame(CHANNELS.stdout, 'one '), () => socket.terminate());
        return;
      }
      socket.send(frame(CHANNELS.stdout, 'two'));
      socket.send(succeeded);
      socket.close(1000);
    },
  });
  const result = await runScene(['exec', 'book'], sceneOf(server, { answers: [], timePasses: true }));
  expect(result).toMatchObject({ exitCode: 0, output: 'one two' });
  expect(offsets).toEqual([null, '4']);
});

it('goes to the next server when the one that it is at stops, and says when the shell itself will end', async () => {
  const offsets: (string | null)[] = [];
  const server = await start({
    protocol: SHELL_PROTOCOL,
    accept(socket, request) {
      offsets.push(new URL(request.url ?? '', 'http://x').searchParams.get('offset'));
      if (offsets.length === 1) {
        socket.send(frame(CHANNELS.resize, '{"EndsInSeconds":20}'));
        socket.send(frame(CHANNELS.stdout, 'one '));
        socket.send(frame(CHANNELS.stderr, 'oh '), () => socket.close(1012));
        return;
      }
      socket.send(frame(CHANNELS.stdout, 'two'));
      socket.send(succeeded);
      socket.close(1000);
    },
  });
  const result = await runScene(['exec', 'book', '--', 'report'], sceneOf(server, { timePasses: true }));
  expect(result).toMatchObject({ exitCode: 0, output: 'one two' });
  expect(result.notes).toMatch(/it ends in 20 s/);
  expect(offsets).toEqual([null, '7']);
});

it('does not take up a command again that reads a pipe', async () => {
  const server = await start({ protocol: SHELL_PROTOCOL, accept: (socket) => socket.terminate() });
  const result = await runScene(['exec', 'book', '--stdin', '--', 'cat'], sceneOf(server, { standardInput: 'x' }));
  expect(result).toMatchObject({ exitCode: 1 });
  expect(server.requests).toHaveLength(1);
});

it('says why a shell is refused', async () => {
  const problem = toProblem(new BerthError('forbidden', 'You may not open shells here.'));
  const server = await start({
    protocol: SHELL_PROTOCOL,
    accept: () => undefined,
    refuse: { status: 403, body: problem },
  });
  const result = await runScene(['exec', 'book', '--', 'ls'], sceneOf(server));
  expect(result.exitCode).toBe(4);
  expect(result.notes).toContain('You may not open shells here.');
});

it('forwards a port byte for byte', async () => {
  const server = await start({
    protocol: FORWARD_PROTOCOL,
    accept: (socket) => socket.on('message', (data) => socket.send(data)),
  });
  const ending = new AbortController();
  const running = runScene(['port-forward', 'book', '0:http'], sceneOf(server, { signal: ending.signal, onOutput }));
  let reached: (port: number) => void = () => undefined;
  const port = new Promise<number>((resolve) => {
    reached = resolve;
  });
  function onOutput(text: string): void {
    const found = /127\.0\.0\.1:(\d+) reaches/.exec(text);
    if (found) reached(Number(found[1]));
  }
  const tcp = connectTcp(await port, '127.0.0.1');
  const bytes = Buffer.from([0, 255, 10, 13, 128]);
  tcp.write(bytes);
  const [echo] = (await new Promise<Buffer[]>((resolve) => tcp.once('data', (data) => resolve([data])))) ?? [];
  expect(echo).toEqual(bytes);
  tcp.destroy();
  ending.abort();
  expect((await running).exitCode).toBe(0);
});

it('names the ports there are', async () => {
  const server = await start({ protocol: FORWARD_PROTOCOL, accept: () => undefined });
  const result = await runScene(['port-forward', 'book', 'postgres'], sceneOf(server));
  expect(result).toMatchObject({ exitCode: 3, notes: expect.stringContaining('it has http (8080)') });
});

it('finds the service that a port belongs to, where only one has it', async () => {
  const server = await start({ protocol: FORWARD_PROTOCOL, accept: () => undefined });
  const services = [
    service('web', { ports: [{ name: 'http', port: 8080 }] }),
    service('admin', { ports: [{ name: 'http', port: 8081 }] }),
    service('db', { ports: [{ name: 'postgres', port: 5432 }] }),
  ];
  const handlers = { listDeployments: () => ({ items: [deployment({ services })] }) };
  const ending = new AbortController();
  const onOutput = () => ending.abort();
  const result = await runScene(
    ['port-forward', 'book', '0:5432'],
    sceneOf(server, { handlers, signal: ending.signal, onOutput }),
  );
  expect(result.output).toContain('reaches db:5432 of book');
  const unclear = await runScene(['port-forward', 'book', '0:http'], sceneOf(server, { handlers }));
  expect(unclear).toMatchObject({ exitCode: 2, notes: expect.stringContaining('add --service with one of') });
});
