import { once } from 'node:events';
import { createServer, request as httpRequest, type Server } from 'node:http';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { type Clock, systemClock } from '../../client/clock.ts';
import { until } from '../../client/testing/until.ts';
import { INGRESS, INGRESS_CLASS } from '../../schema/resources.ts';
import { KubeError } from '../../schema/status.ts';
import type { RouterOptions } from './router.ts';
import { makeRouterScene, portOf, type RouterScene } from './testing/router-scene.ts';

const fiveTimesFaster: Clock = {
  ...systemClock,
  monotonic: () => systemClock.monotonic() * 5,
  after: (milliseconds, callback) => systemClock.after(milliseconds / 5, callback),
};

const scenes: RouterScene[] = [];
afterEach(async () => {
  for (const scene of scenes.splice(0)) await scene.end();
});

async function makeScene(options: Partial<RouterOptions> = {}): Promise<RouterScene> {
  const scene = await makeRouterScene(options);
  scenes.push(scene);
  return scene;
}

describe('pages', () => {
  test('a host that nobody has gets a plain 404, as HTML for browsers and as text otherwise', async () => {
    const scene = await makeScene();
    const plain = await scene.get('nobody.test');
    expect(plain).toMatchObject({ status: 404, headers: { 'content-type': 'text/plain; charset=utf-8' } });
    expect(plain.body).toContain('nobody.test');
    const page = await scene.get('nobody.test', '/', { accept: 'text/html' });
    expect(page).toMatchObject({ status: 404, headers: { 'content-type': 'text/html; charset=utf-8' } });
  });

  test('a known host without ready pods gets a 503 that says when to come back and reloads itself', async () => {
    const scene = await makeScene();
    scene.expose('app.test', []);
    await until(async () => (await scene.get('app.test')).status === 503);
    const page = await scene.get('app.test', '/', { accept: 'text/html' });
    expect(page.headers['retry-after']).toBe('2');
    expect(page.body).toContain('http-equiv="refresh"');
  });

  test('before the cluster is known an unknown host is asked to wait', async () => {
    const list = async () => {
      throw new KubeError(503, 'ServiceUnavailable', 'down');
    };
    const scene = await makeScene({ client: { list } as unknown as RouterOptions['client'] });
    expect((await scene.get('app.test')).status).toBe(503);
  });

  test('the pages can be replaced', async () => {
    const scene = await makeScene({
      pages: (kind, { host, path }) => ({ status: 404, html: `${kind} ${host} ${path}` }),
    });
    expect((await scene.get('x.test', '/a?b', { accept: 'text/html' })).body).toBe('not-found x.test /a');
  });
});

describe('headers', () => {
  const echo = async (scene: RouterScene) => {
    const pod = await scene.pod((request, response) =>
      response.end(JSON.stringify({ url: request.url, raw: request.rawHeaders })),
    );
    scene.expose('app.test', [pod]);
    await until(async () => (await scene.get('app.test')).status === 200);
  };
  const seen = async (scene: RouterScene, headers: Record<string, string>, path = '/') => {
    const { body } = await scene.get('app.test:8080', path, headers);
    const { raw, url } = JSON.parse(body) as { raw: string[]; url: string };
    const all: Record<string, string[]> = {};
    raw.forEach((text, index) => {
      const name = text.toLowerCase();
      if (index % 2 === 0) all[name] = [...(all[name] ?? []), raw[index + 1]!];
    });
    return { all, url };
  };

  test('Host and path arrive as they were sent; whose request it was is added', async () => {
    const scene = await makeScene();
    await echo(scene);
    const { all, url } = await seen(scene, { cookie: 'a=b' }, '/a%2Fb/../c?x=1&y');
    expect(url).toBe('/a%2Fb/../c?x=1&y');
    expect(all).toMatchObject({
      host: ['app.test:8080'],
      cookie: ['a=b'],
      'x-forwarded-for': ['127.0.0.1'],
      'x-forwarded-host': ['app.test:8080'],
      'x-forwarded-proto': ['http'],
      'x-forwarded-port': [String(scene.router.port)],
    });
  });

  test('what a client claims about itself and what belongs to its connection is dropped', async () => {
    const scene = await makeScene();
    await echo(scene);
    const { all } = await seen(scene, {
      'X-Forwarded-For': '6.6.6.6',
      'x-forwarded-user': 'admin',
      Forwarded: 'for=6.6.6.6',
      'X-Real-IP': '6.6.6.6',
      Connection: 'close, x-mine, x-forwarded-for, host',
      'X-Mine': '1',
      TE: 'trailers',
      'Proxy-Authorization': 'Basic abc',
    });
    expect(all['x-forwarded-for']).toEqual(['127.0.0.1']);
    expect(all.host).toEqual(['app.test:8080']);
    for (const name of ['x-forwarded-user', 'forwarded', 'x-real-ip', 'x-mine', 'te', 'proxy-authorization']) {
      expect(all[name]).toBeUndefined();
    }
  });

  test('behind a proxy that is trusted its claims are kept and the chain grows', async () => {
    const scene = await makeScene({ trustForwarded: true });
    await echo(scene);
    const { all } = await seen(scene, { 'X-Forwarded-For': '6.6.6.6', 'X-Forwarded-Proto': 'https' });
    expect(all['x-forwarded-for']).toEqual(['6.6.6.6, 127.0.0.1']);
    expect(all['x-forwarded-proto']).toEqual(['https']);
  });

  test('the answer keeps its status text, repeated headers and trailers, without those of the pod’s connection', async () => {
    const scene = await makeScene();
    const pod = await scene.pod((_request, response) => {
      const headers: [string, string][] = [
        ['Set-Cookie', 'a=1'],
        ['Set-Cookie', 'b=2'],
        ['X-Odd', 'y'],
        ['Connection', 'x-odd'],
        ['Trailer', 'X-Sum'],
      ];
      response.writeHead(299, 'Fine So Far', headers.flat());
      response.write('body');
      response.addTrailers({ 'X-Sum': '42' });
      response.end();
    });
    scene.expose('app.test', [pod]);
    await until(async () => (await scene.get('app.test')).status === 299);
    const heard = await scene.speak('GET / HTTP/1.1\r\nHost: app.test\r\nConnection: close\r\n\r\n');
    expect(heard).toContain('HTTP/1.1 299 Fine So Far');
    expect(heard).toContain('Set-Cookie: a=1\r\nSet-Cookie: b=2');
    expect(heard).toContain('X-Sum: 42');
    expect(heard).not.toContain('X-Odd');
  });
});

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

describe('pods that come and go', () => {
  const answer = (text: string) => (request: { resume(): unknown }, response: { end(text: string): unknown }) => {
    request.resume();
    response.end(text);
  };

  test('requests take turns over the ready pods', async () => {
    const scene = await makeScene();
    const pods = [await scene.pod(answer('one')), await scene.pod(answer('two'))];
    scene.expose('app.test', pods);
    await until(async () => (await scene.get('app.test')).status === 200);
    const bodies = await Promise.all(Array.from({ length: 10 }, async () => (await scene.get('app.test')).body));
    expect(bodies.sort()).toEqual([...Array(5).fill('one'), ...Array(5).fill('two')]);
  });

  test('connections to pods are kept for requests that may be repeated', async () => {
    const scene = await makeScene();
    const pod = await scene.pod(answer('ok'));
    let connections = 0;
    pod.on('connection', () => connections++);
    scene.expose('app.test', [pod]);
    await until(async () => (await scene.get('app.test')).status === 200);
    for (let i = 0; i < 20; i++) await scene.get('app.test');
    expect(connections).toBe(1);
  });

  test('a kept connection that the pod just closed costs no request', async () => {
    const scene = await makeScene();
    const pod = await scene.pod((request, response) => {
      response.end('ok');
      // Closes without having said so, as a pod does that ends.
      response.once('finish', () => setImmediate(() => request.socket.destroy()));
    });
    scene.expose('app.test', [pod]);
    await until(async () => (await scene.get('app.test')).status === 200);
    const statuses = new Set<number>();
    for (let round = 0; round < 20; round++) {
      const burst = Array.from({ length: 10 }, () => scene.get('app.test'));
      for (const { status } of await Promise.all(burst)) statuses.add(status);
    }
    expect([...statuses]).toEqual([200]);
  });

  test('a pod that refuses connections costs no request, whatever its method', async () => {
    const scene = await makeScene();
    const dead = await scene.pod(answer('dead'));
    const alive = await scene.pod(answer('alive'));
    scene.expose('app.test', [dead, alive]);
    await until(async () => (await scene.get('app.test')).status === 200);
    const port = portOf(dead);
    dead.closeAllConnections();
    await new Promise((resolve) => dead.close(resolve));
    expect(port).toBeGreaterThan(0);
    for (let i = 0; i < 4; i++) expect((await scene.get('app.test')).body).toBe('alive');
    for (let i = 0; i < 4; i++) expect(await send(scene.router.port, 'hi')).toBe(200);
  });

  test('when no pod is ready those that still serve while they end are used', async () => {
    const scene = await makeScene();
    const ending = await scene.pod(answer('ending'));
    scene.expose('app.test', [], [ending]);
    await until(async () => (await scene.get('app.test')).status === 200);
    const next = await scene.pod(answer('next'));
    scene.expose('app.test', [next], [ending]);
    await until(async () => (await scene.get('app.test')).body === 'next');
    for (let i = 0; i < 4; i++) expect((await scene.get('app.test')).body).toBe('next');
  });

  test('switching from pod to pod under load fails no request', async () => {
    const scene = await makeScene();
    const start = () =>
      scene.pod((request, response) => {
        request.resume();
        setTimeout(() => response.end('ok'), Math.random() * 20);
      });
    let current: Server = await start();
    scene.expose('app.test', [current]);
    await until(async () => (await scene.get('app.test')).status === 200);
    let running = true;
    const bad: unknown[] = [];
    let good = 0;
    const load = Array.from({ length: 12 }, async (_, worker) => {
      while (running) {
        const body = worker % 3 === 0 ? 'x'.repeat(1000) : '';
        const status = await send(scene.router.port, body).catch((error: unknown) => error);
        if (status === 200) good++;
        else bad.push(status);
      }
    });
    for (let round = 0; round < 8; round++) {
      const next = await start();
      scene.expose('app.test', [next], [current]);
      const old = current;
      current = next;
      await new Promise((resolve) => setTimeout(resolve, 30));
      scene.expose('app.test', [next]);
      await new Promise((resolve) => old.close(resolve));
      await new Promise((resolve) => setTimeout(resolve, 60));
    }
    running = false;
    await Promise.all(load);
    expect(bad).toEqual([]);
    expect(good).toBeGreaterThan(200);
  });

  test('a static upstream that restarts is waited for; one that stays away gets a page that reloads', async () => {
    const upstream = createServer(answer('platform'));
    await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
    const port = portOf(upstream);
    const staticRoutes = [{ hosts: ['localhost'], upstream: { host: '127.0.0.1', port } }];
    const scene = await makeScene({ staticRoutes, clock: fiveTimesFaster });
    expect((await scene.get(`localhost:${scene.router.port}`)).body).toBe('platform');
    upstream.closeAllConnections();
    await new Promise((resolve) => upstream.close(resolve));
    const waiting = scene.get('localhost');
    const again = createServer(answer('platform again'));
    setTimeout(() => again.listen(port, '127.0.0.1'), 300);
    expect((await waiting).body).toBe('platform again');
    again.closeAllConnections();
    await new Promise((resolve) => again.close(resolve));
    const page = await scene.get('localhost', '/', { accept: 'text/html' });
    expect(page).toMatchObject({ status: 503, headers: { 'retry-after': '2' } });
    expect(page.body).toContain('http-equiv="refresh"');
  });

  test('close lets a request end, refuses new ones and cuts WebSockets', async () => {
    const scene = await makeRouterScene();
    let finish: (() => void) | undefined;
    const pod = await scene.pod((request, response) => {
      if (request.url === '/') return response.end();
      finish = () => response.end('finished');
    });
    scene.expose('app.test', [pod]);
    await until(async () => (await scene.get('app.test')).status === 200);
    const slow = scene.get('app.test', '/slow');
    await until(() => finish !== undefined);
    const closing = scene.router.close();
    await expect(scene.get('app.test')).rejects.toThrow('ECONNREFUSED');
    finish?.();
    expect((await slow).body).toBe('finished');
    await closing;
    pod.closeAllConnections();
    pod.close();
  });
});

describe('what cannot be told apart safely is refused', () => {
  test.each([
    [
      'Content-Length and Transfer-Encoding',
      'POST / HTTP/1.1\r\nHost: app.test\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['two Content-Length', 'POST / HTTP/1.1\r\nHost: app.test\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabc'],
    ['an odd Transfer-Encoding', 'POST / HTTP/1.1\r\nHost: app.test\r\nTransfer-Encoding: chunked, identity\r\n\r\n'],
    ['two Hosts', 'GET / HTTP/1.1\r\nHost: app.test\r\nHost: other.test\r\nConnection: close\r\n\r\n'],
    ['no Host', 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n'],
    ['a Host that is none', 'GET / HTTP/1.1\r\nHost: app.test/evil\r\nConnection: close\r\n\r\n'],
    ['an absolute target', 'GET http://other.test/ HTTP/1.1\r\nHost: app.test\r\nConnection: close\r\n\r\n'],
    ['a bare line feed', 'GET / HTTP/1.1\nHost: app.test\nX: y\n\n'],
    ['a space before the colon', 'GET / HTTP/1.1\r\nHost : app.test\r\n\r\n'],
    ['a NUL', 'GET / HTTP/1.1\r\nHost: app.test\r\nX: a\0b\r\n\r\n'],
    ['garbage', '\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03'],
    ['headers without end', `GET / HTTP/1.1\r\nHost: app.test\r\n${'X-Long: '.padEnd(40_000, 'x')}\r\n\r\n`],
    ['CONNECT', 'CONNECT app.test:80 HTTP/1.1\r\nHost: app.test\r\n\r\n'],
  ])('%s', async (_name, text) => {
    const scene = await makeScene();
    let asked = 0;
    const pod = await scene.pod((request, response) => {
      if (request.url !== '/ready') asked++;
      response.end();
    });
    scene.expose('app.test', [pod]);
    await until(async () => (await scene.get('app.test', '/ready')).status === 200);
    const heard = await scene.speak(text).catch((error: Error) => error.message);
    expect(heard).toMatch(/^(HTTP\/1\.1 4\d\d|$|read ECONNRESET)/);
    expect(asked).toBe(0);
    expect((await scene.get('app.test', '/ready')).status).toBe(200);
  });

  test('a pod that speaks no HTTP becomes a 502', async () => {
    const scene = await makeScene();
    const pod = await scene.pod(() => undefined);
    pod.removeAllListeners('connection');
    pod.on('connection', (socket) => socket.end('220 mail ready\r\n'));
    scene.expose('app.test', [pod]);
    await until(async () => (await scene.get('app.test')).status === 502);
  });

  test('clients that connect and vanish harm nobody', async () => {
    const scene = await makeScene();
    for (let i = 0; i < 50; i++) {
      const socket = connect(scene.router.port, '127.0.0.1');
      await once(socket, 'connect');
      socket.write('POST / HTTP/1.1\r\nHost: a.test\r\nContent-Le'.slice(0, i));
      socket.resetAndDestroy();
    }
    expect((await scene.get('nobody.test')).status).toBe(404);
  });
});

test('the status of our Ingresses says where they are reached; what stands there is left alone', async () => {
  const scene = await makeScene();
  const other = { status: { loadBalancer: { ingress: [{ ip: '10.0.0.1' }] } } };
  const make = (name: string, more: object) => ({
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: { name, namespace: 'team' },
    spec: { ingressClassName: 'test' },
    ...more,
  });
  scene.cluster.put(INGRESS, make('mine', {}));
  scene.cluster.put(INGRESS, make('taken', other));
  scene.cluster.put(INGRESS, make('theirs', { spec: { ingressClassName: 'else' } }));
  scene.cluster.put(INGRESS, make('classless', { spec: {} }));
  const statusOf = (name: string) => scene.cluster.get(INGRESS, `team/${name}`)?.status;
  const here = { loadBalancer: { ingress: [{ hostname: 'localhost' }] } };
  await until(() => statusOf('mine') !== undefined);
  expect(statusOf('mine')).toEqual(here);
  expect(statusOf('taken')).toEqual(other.status);
  expect(statusOf('theirs')).toBeUndefined();
  expect(statusOf('classless')).toBeUndefined();
  const annotations = { 'ingressclass.kubernetes.io/is-default-class': 'true' };
  scene.cluster.put(INGRESS_CLASS, { apiVersion: 'v1', kind: 'IngressClass', metadata: { name: 'test', annotations } });
  await until(() => statusOf('classless') !== undefined);
});

test('requests and bytes are counted by host; made-up hosts count together', async () => {
  const scene = await makeScene();
  const pod = await scene.pod((request, response) => {
    request.resume();
    response.end('x'.repeat(5000));
  });
  scene.expose('app.test', [pod]);
  await until(async () => (await scene.get('app.test')).status === 200);
  await send(scene.router.port, 'y'.repeat(3000));
  await scene.get('made-up-1.test');
  await scene.get('made-up-2.test');
  await until(
    async () => (await countOf(scene, 'router_bytes_total', { host: 'app.test', direction: 'out' })) > 10_000,
  );
  expect(await countOf(scene, 'router_requests_total', { host: 'app.test', class: '2xx' })).toBeGreaterThanOrEqual(2);
  expect(await countOf(scene, 'router_bytes_total', { host: 'app.test', direction: 'in' })).toBeGreaterThan(3000);
  expect(await countOf(scene, 'router_requests_total', { host: '', class: '4xx' })).toBeGreaterThanOrEqual(2);
});

/** What a number rests at: nothing moved for a while. */
async function untilStill(value: () => number): Promise<number> {
  for (let last = value(); ; last = value()) {
    await new Promise((resolve) => setTimeout(resolve, 150));
    if (value() === last) return last;
  }
}

async function countOf(scene: RouterScene, name: string, labels: Record<string, string>): Promise<number> {
  const { values } = await scene.metrics.getSingleMetric(name)!.get();
  return values.find((one) => Object.entries(labels).every(([key, text]) => one.labels[key] === text))?.value ?? 0;
}

/** POST with a body, GET without; resolves to the status once the answer is read. */
function send(port: number, body: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const method = body === '' ? 'GET' : 'POST';
    const headers = { host: 'app.test', ...(body !== '' && { 'content-length': String(body.length) }) };
    const request = httpRequest({ port, method, headers, agent: false }, (response) => {
      response.resume();
      response.on('error', reject);
      response.on('end', () => resolve(response.statusCode ?? 0));
    });
    request.on('error', reject);
    request.end(body);
  });
}
