import { once } from 'node:events';
import { appendFileSync, readFileSync, rmSync, statSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  bundleProgram,
  eventually,
  freePort,
  ownFolder,
  type StartedProgram,
  startProgram,
  temporaryDirectory,
} from '../testing.ts';
import { openAppendLog } from './append-log.ts';
import { createEngine } from './engine.ts';
import { encodeCommand, splitWords } from './resp.ts';

const PASSWORD = 'geheim und lang';
const directory = temporaryDirectory();
const log = join(directory, 'root/data/appendonly.aof');
let program: string;
let [port, webPort] = [0, 0];
let server: StartedProgram;
const url = () => `http://127.0.0.1:${webPort}`;

beforeAll(async () => {
  ownFolder(join(directory, 'root/data'));
  program = await bundleProgram('kv', directory);
  [port, webPort] = [await freePort(), await freePort()];
  await start();
});

afterAll(async () => {
  server.child.kill('SIGTERM');
  expect(await server.exit).toBe(0);
  rmSync(directory, { recursive: true, force: true });
});

async function start(): Promise<void> {
  server = startProgram(program, {
    KV_PASSWORD: PASSWORD,
    KV_PORT: String(port),
    PORT: String(webPort),
    FSYNC: 'everysec',
    CLUSTER_ROOT: join(directory, 'root'),
    LISTEN_ADDRESS: '127.0.0.1',
  });
  await eventually(async () => expect((await fetch(`${url()}/healthz`)).status).toBe(200));
}

interface Client {
  socket: Socket;
  /** Sends as it is and waits until as many lines have come. */
  send(bytes: string, lines?: number): Promise<string>;
}

async function client(password?: string): Promise<Client> {
  const socket = connect(port, '127.0.0.1');
  let text = '';
  socket.on('error', () => undefined);
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1');
  });
  const send = async (bytes: string, lines = 1): Promise<string> => {
    text = '';
    socket.write(bytes, 'latin1');
    while (text.split('\r\n').length - 1 < lines) await once(socket, 'data');
    return text;
  };
  if (password !== undefined) await send(encodeCommand(['AUTH', password].map(asBytes)));
  return { socket, send };
}

const asBytes = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');
const authorization = `Bearer ${PASSWORD.replaceAll(' ', '%20')}`;
const basic = `Basic ${Buffer.from(`x:${PASSWORD}`).toString('base64')}`;
const json = (path: string, init: RequestInit = {}) =>
  fetch(`${url()}${path}`, { ...init, headers: { authorization: basic, 'content-type': 'application/json' } });

describe('a key-value server', () => {
  it('answers nobody without the password', async () => {
    const stranger = await client();
    expect(await stranger.send('GET a\r\n')).toBe('-NOAUTH Authentication required.\r\n');
    expect(await stranger.send('AUTH wrong\r\n')).toMatch(/^-WRONGPASS/);
    expect(await stranger.send(encodeCommand(['AUTH', 'default', PASSWORD]))).toBe('+OK\r\n');
    expect(await stranger.send('PING\r\n')).toBe('+PONG\r\n');
    expect(await stranger.send('QUIT\r\n')).toBe('+OK\r\n');
    expect((await fetch(`${url()}/keys`, { headers: { authorization } })).status).toBe(401);
    expect((await json('/keys')).status).toBe(200);
  });

  it('answers many commands at once in their order, and inline ones', async () => {
    const { send, socket } = await client(PASSWORD);
    expect(await send('SET greeting "hello world"\r\nGET greeting\r\nINCR n\r\nINCR n\r\n', 5)).toBe(
      '+OK\r\n$11\r\nhello world\r\n:1\r\n:2\r\n',
    );
    expect(await send('MULTI\r\nINCR n\r\nGET n\r\nEXEC\r\n', 7)).toBe(
      '+OK\r\n+QUEUED\r\n+QUEUED\r\n*2\r\n:3\r\n$1\r\n3\r\n',
    );
    expect(await send('*1\r\nnonsense\r\n')).toMatch(/^-ERR Protocol error/);
    socket.destroy();
  });

  it('keeps every answered write although it is killed', async () => {
    const { send } = await client(PASSWORD);
    const binary = String.fromCharCode(...Array.from({ length: 256 }, (_, index) => index));
    await send(encodeCommand(['SET', 'bytes', binary]));
    for (let index = 0; index < 200; index++) await send(encodeCommand(['RPUSH', 'list', String(index)]));
    server.child.kill('SIGKILL');
    await server.exit;
    appendFileSync(log, '*3\r\n$3\r\nSET\r\n$3\r\ncut');
    await start();
    expect(server.output()).toContain('cut short');
    const again = await client(PASSWORD);
    expect(await again.send(encodeCommand(['LLEN', 'list']))).toBe(':200\r\n');
    expect(await again.send(encodeCommand(['GET', 'bytes']), 2)).toBe(`$256\r\n${binary}\r\n`);
    expect(await again.send(encodeCommand(['GET', 'n']), 2)).toBe('$1\r\n3\r\n');
  });

  it('gives and takes keys as JSON, and shows what programs wrote', async () => {
    expect(
      (await json('/keys/a%2Fb', { method: 'PUT', body: JSON.stringify({ value: 'schön', ttl: 60 }) })).status,
    ).toBe(200);
    expect(await (await json('/keys/a%2Fb')).json()).toEqual({ key: 'a/b', type: 'string', ttl: 60, value: 'schön' });
    await json('/keys/h', { method: 'PUT', body: JSON.stringify({ value: { x: 1 } }) });
    const command = await json('/command', { method: 'POST', body: JSON.stringify({ command: ['HGETALL', 'h'] }) });
    expect(await command.json()).toEqual({ reply: ['x', '1'] });
    const { keys } = (await (await json('/keys?match=*b')).json()) as { keys: unknown[] };
    expect(keys).toEqual([{ key: 'a/b', type: 'string', ttl: 60 }]);
    expect((await json('/keys/h', { method: 'DELETE' })).status).toBe(200);
    expect((await json('/keys/h')).status).toBe(404);
    expect((await json('/keys/h', { method: 'PUT', body: JSON.stringify({ value: null }) })).status).toBe(422);
    const page = await fetch(url(), { headers: { authorization: basic, accept: 'text/html' } });
    expect(page.headers.get('content-security-policy')).toContain("script-src 'self'");
    expect((await fetch(`${url()}/browser.js`)).status).toBe(200);
  });
});

describe('the append log', () => {
  it('is written anew when it has grown, and loses nothing on the way', async () => {
    const file = join(directory, 'own.aof');
    const open = async () => {
      const engine = createEngine({
        clock: Date.now,
        onChange: (commands) => appendLog?.append(commands),
        isFull: () => false,
      });
      let appendLog: Awaited<ReturnType<typeof openAppendLog>> | undefined;
      appendLog = await openAppendLog({
        file,
        policy: 'always',
        replay: engine.replay,
        snapshot: engine.snapshot,
        onFailure: (error) => {
          throw error;
        },
        rewriteFromBytes: 20_000,
      });
      return { engine, appendLog };
    };
    const first = await open();
    for (let round = 0; round < 50; round++) {
      for (let index = 0; index < 40; index++) first.engine.execute(splitWords(`INCR counter:${index % 10}`));
      await first.appendLog.settled();
    }
    expect(statSync(file).size).toBeLessThan(45_000);
    await first.appendLog.close();
    const second = await open();
    expect(second.engine.execute(['GET', 'counter:3'])).toBe('200');
    await second.appendLog.close();
    const whole = readFileSync(file, 'latin1');
    expect(whole.startsWith('*3\r\n$3\r\nSET\r\n')).toBe(true);
  });

  it('refuses a damaged file, and says where', async () => {
    const file = join(directory, 'damaged.aof');
    appendFileSync(file, `${encodeCommand(['SET', 'a', '1'])}*1\r\nrubbish\r\n`);
    const options = {
      file,
      policy: 'no' as const,
      replay: () => undefined,
      snapshot: () => [],
      onFailure: () => undefined,
    };
    await expect(openAppendLog(options)).rejects.toThrow(/damaged after byte 27/);
  });
});
