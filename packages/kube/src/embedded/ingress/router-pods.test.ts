import { createServer, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { type Clock, systemClock } from '../../client/clock.ts';
import { until } from '../../client/testing/until.ts';
import type { RouterOptions } from './router.ts';
import { makeRouterScene, portOf, type RouterScene, send } from './testing/router-scene.ts';

const tenTimesFaster: Clock = {
  ...systemClock,
  monotonic: () => systemClock.monotonic() * 10,
  after: (milliseconds, callback) => systemClock.after(milliseconds / 10, callback),
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

  test('a pod that is killed in the middle of reads and writes costs no read, and no write is sent twice', async () => {
    const scene = await makeScene();
    const killer = (seen: string[]) =>
      scene.pod((request, response) => {
        if (request.url === '/ready') return response.end();
        seen.push(`${request.method}`);
        request.socket.destroy();
      });
    const seen: string[] = [];
    const good = await scene.pod(answer('good'));
    scene.expose('app.test', [await killer(seen), good]);
    await until(async () => (await scene.get('app.test', '/ready')).status === 200);
    for (let i = 0; i < 6; i++) expect((await scene.get('app.test')).body).toBe('good');
    seen.length = 0;
    const statuses: number[] = [];
    for (let i = 0; i < 6; i++) statuses.push(await send(scene.router.port, 'hi'));
    expect(statuses.filter((status) => status === 502)).toHaveLength(seen.length);
    expect(statuses.filter((status) => status === 200)).toHaveLength(6 - seen.length);
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

  test('no connection is kept to a pod that leaves: those that rest are closed at once, those in use when they are done', async () => {
    const scene = await makeScene();
    const open = new Set<Socket>();
    let release: (() => void) | undefined;
    const leaving = await scene.pod((request, response) => {
      if (request.url !== '/slow') return response.end('leaving');
      release = () => response.end('leaving, slowly');
    });
    leaving.on('connection', (socket) => {
      open.add(socket);
      socket.once('close', () => open.delete(socket));
    });
    scene.expose('app.test', [leaving]);
    await until(async () => (await scene.get('app.test')).status === 200);
    const slow = scene.get('app.test', '/slow');
    await until(() => release !== undefined);
    await scene.get('app.test');
    expect(open.size).toBe(2);
    const next = await scene.pod(answer('next'));
    scene.expose('app.test', [next], [leaving]);
    await until(async () => open.size === 1, 1_000);
    release?.();
    expect((await slow).body).toBe('leaving, slowly');
    await until(async () => open.size === 0, 1_000);
    expect((await scene.get('app.test')).body).toBe('next');
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
    expect(good).toBeGreaterThan(20);
  });

  test('a static upstream that restarts is waited for; one that stays away gets a page that reloads', async () => {
    const upstream = createServer(answer('platform'));
    await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
    const port = portOf(upstream);
    const staticRoutes = [{ hosts: ['localhost'], upstream: { host: '127.0.0.1', port } }];
    const scene = await makeScene({ staticRoutes, clock: tenTimesFaster });
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
