import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { until } from '../../client/testing/until.ts';
import { countOf, makeRouterScene, type RouterScene } from './testing/router-scene.ts';

const scenes: RouterScene[] = [];
afterEach(async () => {
  for (const scene of scenes.splice(0)) await scene.end();
});

async function makeScene(): Promise<RouterScene> {
  const scene = await makeRouterScene();
  scenes.push(scene);
  return scene;
}

describe('streams', () => {
  test('a WebSocket carries text and bytes both ways and its end', async () => {
    const scene = await makeScene();
    const pod = await scene.pod((_request, response) => response.end('plain'));
    const sockets = new WebSocketServer({ server: pod });
    sockets.on('connection', (socket, request) => {
      expect(request.headers['x-forwarded-for']).toBe('127.0.0.1');
      socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary }));
    });
    scene.expose('app.test', [pod]);
    await until(async () => (await scene.get('app.test')).status === 200);
    const socket = new WebSocket(`ws://127.0.0.1:${scene.router.port}/chat`, { headers: { host: 'app.test' } });
    await once(socket, 'open');
    for (const message of ['hello', Buffer.alloc(300_000, 7)]) {
      socket.send(message);
      const [echoed] = (await once(socket, 'message')) as [Buffer];
      expect(Buffer.compare(echoed, Buffer.from(message))).toBe(0);
    }
    socket.close(4001, 'done');
    const [code] = await once(socket, 'close');
    expect(code).toBe(4001);
    await until(async () => (await countOf(scene, 'router_requests_total', { class: '1xx' })) === 1);
    await until(async () => (await countOf(scene, 'router_bytes_total', { direction: 'in' })) > 300_000);
    expect(await countOf(scene, 'router_bytes_total', { direction: 'out' })).toBeGreaterThan(300_000);
  });

  test('a WebSocket that the pod refuses gets the pod’s answer, one for an unknown host a 404', async () => {
    const scene = await makeScene();
    const pod = await scene.pod((_request, response) => response.writeHead(403).end('no'));
    scene.expose('app.test', [pod]);
    await until(async () => (await scene.get('app.test')).status === 403);
    const statusFor = async (host: string) => {
      const socket = new WebSocket(`ws://127.0.0.1:${scene.router.port}/`, { headers: { host } });
      const [error] = (await once(socket, 'error')) as [Error];
      return error.message;
    };
    expect(await statusFor('app.test')).toContain('403');
    expect(await statusFor('nobody.test')).toContain('404');
  });

  test('an offer of h2c is not taken, and the request with its body is served', async () => {
    const scene = await makeScene();
    const pod = await scene.pod(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      response.end(`${request.headers.upgrade} ${body}`);
    });
    scene.expose('app.test', [pod]);
    await until(async () => (await scene.get('app.test')).status === 200);
    const offer = 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n';
    const last = 'GET / HTTP/1.1\r\nHost: app.test\r\nConnection: close\r\n\r\n';
    const heard = await scene.speak(
      `POST / HTTP/1.1\r\nHost: app.test\r\n${offer}Content-Length: 5\r\n\r\nhello${last}`,
    );
    expect(heard).toContain('undefined hello');
    expect(heard.match(/HTTP\/1\.1 200/g)).toHaveLength(2);
  });

  test('server-sent events arrive one by one, the headers before the first', async () => {
    const scene = await makeScene();
    let send: ((text: string) => void) | undefined;
    const pod = await scene.pod((request, response) => {
      if (request.url === '/') return response.end();
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      send = (text) => response.write(text);
    });
    scene.expose('app.test', [pod]);
    await until(async () => (await scene.get('app.test')).status === 200);
    const request = httpRequest({ port: scene.router.port, path: '/events', headers: { host: 'app.test' } });
    request.end();
    const [response] = await once(request, 'response');
    expect(response.headers['content-type']).toBe('text/event-stream');
    for (const event of ['data: 1\n\n', 'data: 2\n\n']) {
      send?.(event);
      const [chunk] = await once(response, 'data');
      expect(String(chunk)).toBe(event);
    }
    request.destroy();
  });

  test('a pod that breaks off in the middle is not made to look complete', async () => {
    const scene = await makeScene();
    const pod = await scene.pod((request, response) => {
      if (request.url === '/') return response.end();
      response.write('half');
      setImmediate(() => response.destroy());
    });
    scene.expose('app.test', [pod]);
    await until(async () => (await scene.get('app.test')).status === 200);
    await expect(scene.get('app.test', '/half')).rejects.toThrow(/aborted|reset|hang up/);
  });

  test('a client that leaves ends the request at the pod', async () => {
    const scene = await makeScene();
    let left = false;
    const pod = await scene.pod((request, response) => {
      if (request.url === '/') return response.end();
      response.on('close', () => {
        left = true;
      });
      response.write('first');
    });
    scene.expose('app.test', [pod]);
    await until(async () => (await scene.get('app.test')).status === 200);
    const request = httpRequest({ port: scene.router.port, path: '/long', headers: { host: 'app.test' } });
    request.on('error', () => undefined);
    request.end();
    await once(request, 'response');
    request.destroy();
    await until(() => left);
  });

  test('100 MB each way stream through; a side that stops stops the other instead of filling memory', async () => {
    const scene = await makeScene();
    const size = 100 * 1024 * 1024;
    let podReads: (() => void) | undefined;
    const pod = await scene.pod(async (request, response) => {
      if (request.url === '/') return response.end();
      await new Promise<void>((resolve) => {
        podReads = resolve;
      });
      request.pipe(response);
    });
    scene.expose('app.test', [pod]);
    await until(async () => (await scene.get('app.test')).status === 200);
    let sent = 0;
    const chunk = Buffer.alloc(256 * 1024, 1);
    const source = Readable.from(
      (function* () {
        for (; sent < size; sent += chunk.length) yield chunk;
      })(),
    );
    const headers = { host: 'app.test', 'content-length': String(size) };
    const request = httpRequest({ port: scene.router.port, method: 'POST', path: '/echo', headers });
    const uploading = pipeline(source, request);
    await until(() => podReads !== undefined);
    const stalledAt = await untilStill(() => sent);
    expect(stalledAt).toBeLessThan(32 * 1024 * 1024);
    podReads?.();
    const [response] = await once(request, 'response');
    expect(await untilStill(() => sent)).toBeLessThan(64 * 1024 * 1024);
    let received = 0;
    response.on('data', (part: Buffer) => {
      received += part.length;
    });
    await Promise.all([uploading, once(response, 'end')]);
    expect(received).toBe(size);
  });

  test.each([
    ['a page', 'nobody.test', 404],
    ['a pod that answers without reading', 'app.test', 413],
  ])('the answer of %s reaches a client that is still sending, which is then cut off', async (_name, host, status) => {
    const scene = await makeScene();
    const pod = await scene.pod((request, response) => {
      if (request.method === 'GET') return response.end();
      response.writeHead(413).end('too large');
    });
    scene.expose('app.test', [pod]);
    await until(async () => (await scene.get('app.test')).status === 200);
    const socket = connect(scene.router.port, '127.0.0.1');
    socket.write(`POST / HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 100000000000\r\n\r\n`);
    let heard = '';
    let closed = false;
    socket.on('data', (chunk) => {
      heard += chunk;
    });
    socket
      .on('error', () => undefined)
      .on('close', () => {
        closed = true;
      });
    const chunk = Buffer.alloc(64 * 1024);
    const sending = setInterval(() => socket.writable && socket.writableLength < 1e6 && socket.write(chunk), 1);
    await until(() => heard.includes(`HTTP/1.1 ${status}`));
    await until(() => closed);
    clearInterval(sending);
  });

  test('a small body that nobody read does not cost the connection', async () => {
    const scene = await makeScene();
    const post = 'POST / HTTP/1.1\r\nHost: nobody.test\r\nContent-Length: 5\r\n\r\nhello';
    const heard = await scene.speak(`${post}${post}GET / HTTP/1.1\r\nHost: nobody.test\r\nConnection: close\r\n\r\n`);
    expect(heard.match(/HTTP\/1\.1 404/g)).toHaveLength(3);
  });

  test('Expect: 100-continue waits for the pod’s word', async () => {
    const scene = await makeScene();
    const pod = await scene.pod((_request, response) => response.end('ok'));
    pod.on('checkContinue', (_request, response) => response.writeHead(417).end('too large'));
    scene.expose('app.test', [pod]);
    await until(async () => (await scene.get('app.test')).status === 200);
    const head =
      'POST / HTTP/1.1\r\nHost: app.test\r\nContent-Length: 5\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n';
    const heard = await scene.speak(head);
    expect(heard).toContain('417');
    expect(heard).not.toContain('100 Continue');
  });
});

/** What a number rests at: nothing moved for a while. */
async function untilStill(value: () => number): Promise<number> {
  for (let last = value(); ; last = value()) {
    await new Promise((resolve) => setTimeout(resolve, 150));
    if (value() === last) return last;
  }
}
