import { request } from 'node:https';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from './testing/start-test-server.ts';

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const configMap = (name: string, data: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data,
});

describe('the API server', () => {
  let test: TestServer;
  beforeAll(async () => {
    test = await startTestServer();
    await test.call({
      method: 'POST',
      path: '/api/v1/namespaces/default/serviceaccounts',
      body: { metadata: { name: 'default' } },
    });
  });
  afterAll(() => test.close());
  const post = (body: unknown, path = CONFIG_MAPS) => test.call({ method: 'POST', path, body });

  it.each([
    ['malformed JSON', '{"a":', 400],
    ['no object', '[]', 400],
    ['nesting without end', '['.repeat(100_000), 400],
    ['a prototype key', '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x"},"data":{"__proto__":"y"}}', 400],
    [
      'an escaped prototype key',
      '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x"},"data":{"__pr\\u006fto__":"y"}}',
      400,
    ],
    [
      'a label of a megabyte',
      JSON.stringify({ ...configMap('x'), metadata: { name: 'x', labels: { a: 'b'.repeat(1_000_000) } } }),
      422,
    ],
    ['a number for a name', '{"metadata":{"name":5}}', 400],
    ['metadata that is a list', '{"metadata":[]}', 400],
  ])('answers %s with an error and lives', async (_name, body, status) => {
    expect((await test.call({ method: 'POST', path: CONFIG_MAPS, body })).status).toBe(status);
    expect(({} as Record<string, unknown>).y).toBeUndefined();
    expect((await test.call({ method: 'GET', path: '/readyz' })).status).toBe(200);
  });

  it.each([
    '/%',
    '/api/v1/namespaces/../x',
    '/apis/%00/x',
    '/api/v1/namespaces/default/configmaps/constructor',
    '/apis/__proto__/v1/x',
  ])('answers the path %s with 4xx', async (path) => {
    const { status } = await test.call({ method: 'GET', path });
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
  });

  it('keeps keys that JavaScript has plans for', async () => {
    const data = { constructor: 'a', toString: 'b', prototype: 'c' };
    await post(configMap('plans', data));
    const patch = { data: { hasOwnProperty: 'd', valueOf: null } };
    const { body } = await test.call({
      method: 'PATCH',
      path: `${CONFIG_MAPS}/plans`,
      type: 'application/merge-patch+json',
      body: patch,
    });
    expect((body as { data: object }).data).toEqual({ ...data, hasOwnProperty: 'd' });
  });

  it('refuses what is too large: the request, then the object', async () => {
    const many = (bytes: number) => ({
      ...configMap('big'),
      metadata: { name: 'big', annotations: {} },
      data: { a: 'x'.repeat(bytes) },
    });
    expect((await post(many(1_100_000))).status).toBe(422);
    expect((await post(many(4_000_000)).catch(() => ({ status: 413 }))).status).toBe(413);
  });

  it('knows nobody without credentials', async () => {
    const status = await new Promise((resolve, reject) => {
      request(new URL('/api/v1/pods', test.server.url), { ca: test.server.caCertificate }, (response) => {
        response.resume();
        resolve(response.statusCode);
      })
        .on('error', reject)
        .end();
    });
    expect(status).toBe(403);
  });

  it('lets a user do what a role says, and nothing else', async () => {
    const jane = await test.as({ name: 'jane', groups: [] });
    const base = '/apis/rbac.authorization.k8s.io/v1/namespaces/default';
    const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['list'] }];
    await post({ metadata: { name: 'reader' }, rules }, `${base}/roles`);
    await post(
      {
        metadata: { name: 'jane' },
        roleRef: { kind: 'Role', name: 'reader' },
        subjects: [{ kind: 'User', name: 'jane' }],
      },
      `${base}/rolebindings`,
    );
    expect((await test.call({ method: 'GET', path: CONFIG_MAPS }, jane)).status).toBe(200);
    expect((await test.call({ method: 'GET', path: '/api/v1/namespaces/default/secrets' }, jane)).status).toBe(403);
    expect((await test.call({ method: 'GET', path: '/api/v1/namespaces/kube-system/configmaps' }, jane)).status).toBe(
      403,
    );
  });

  it('lets nothing exceed a quota, however many ask at once', async () => {
    await post({ metadata: { name: 'three' } }, '/api/v1/namespaces');
    const quota = { metadata: { name: 'q' }, spec: { hard: { configmaps: '3' } } };
    await post(quota, '/api/v1/namespaces/three/resourcequotas');
    const made = await Promise.all(
      Array.from({ length: 12 }, (_, n) => post(configMap(`c${n}`), '/api/v1/namespaces/three/configmaps')),
    );
    expect(made.filter(({ status }) => status === 201)).toHaveLength(3);
    const refused = made.find(({ status }) => status === 403)?.body as { message: string };
    expect(refused.message).toContain(
      'exceeded quota: q, requested: configmaps=1, used: configmaps=3, limited: configmaps=3',
    );
  });

  it('gives containers the limits of the namespace', async () => {
    await post({ metadata: { name: 'limited' } }, '/api/v1/namespaces');
    await post({ metadata: { name: 'default' } }, '/api/v1/namespaces/limited/serviceaccounts');
    const limits = [
      { type: 'Container', default: { cpu: '500m' }, defaultRequest: { cpu: '100m' }, max: { cpu: '1' } },
    ];
    await post({ metadata: { name: 'l' }, spec: { limits } }, '/api/v1/namespaces/limited/limitranges');
    const pod = (name: string, resources = {}) => ({
      metadata: { name },
      spec: { containers: [{ name: 'a', image: 'b', resources }] },
    });
    const { body } = await post(pod('p'), '/api/v1/namespaces/limited/pods');
    expect(body).toMatchObject({
      spec: { containers: [{ resources: { limits: { cpu: '500m' }, requests: { cpu: '100m' } } }] },
    });
    const refused = await post(pod('q', { limits: { cpu: '2' } }), '/api/v1/namespaces/limited/pods');
    expect(refused).toMatchObject({
      status: 403,
      body: { message: 'pods "q" is forbidden: maximum cpu usage per Container is 1, but limit is 2' },
    });
  });

  it('continues a list where the last page ended', async () => {
    await post({ metadata: { name: 'pages' } }, '/api/v1/namespaces');
    for (const name of ['a', 'b', 'c']) await post(configMap(name), '/api/v1/namespaces/pages/configmaps');
    const path = '/api/v1/namespaces/pages/configmaps?limit=2';
    const first = JSON.parse((await test.raw({ method: 'GET', path })).text);
    expect(first.items).toHaveLength(2);
    expect(first.metadata.remainingItemCount).toBe(1);
    const second = JSON.parse(
      (await test.raw({ method: 'GET', path: `${path}&continue=${first.metadata.continue}` })).text,
    );
    expect(second.items.map((item: { metadata: { name: string } }) => item.metadata.name)).toEqual(['c']);
    expect(second.metadata.continue).toBeUndefined();
  });

  it('streams the objects there are, then a bookmark, then what changes', async () => {
    await post({ metadata: { name: 'watched' } }, '/api/v1/namespaces');
    await post(configMap('a'), '/api/v1/namespaces/watched/configmaps');
    const path =
      '/api/v1/namespaces/watched/configmaps?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&timeoutSeconds=1';
    const watching = test.raw({ method: 'GET', path });
    await post(configMap('b'), '/api/v1/namespaces/watched/configmaps');
    const events = (await watching).text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(
      events.filter(({ type }) => type !== 'BOOKMARK').map(({ type, object }) => [type, object.metadata.name]),
    ).toEqual([
      ['ADDED', 'a'],
      ['ADDED', 'b'],
    ]);
    expect(events.find(({ type }) => type === 'BOOKMARK').object.metadata.annotations).toEqual({
      'k8s.io/initial-events-end': 'true',
    });
  });
});
