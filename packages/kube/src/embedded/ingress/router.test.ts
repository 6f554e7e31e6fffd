import { afterEach, describe, expect, test } from 'vitest';
import { until } from '../../client/testing/until.ts';
import { INGRESS, INGRESS_CLASS } from '../../schema/resources.ts';
import { KubeError } from '../../schema/status.ts';
import type { RouterOptions } from './router.ts';
import { countOf, makeRouterScene, type RouterScene, send } from './testing/router-scene.ts';

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
