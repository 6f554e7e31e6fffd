import { describe, expect, test } from 'vitest';
import type { Ingress } from './ingress-objects.ts';
import { isOurs } from './ingress-objects.ts';
import { buildRouteTable, normalizeHost } from './route-table.ts';

type Path = [path: string | undefined, service: string, pathType?: string];

function ingress(name: string, host: string | undefined, paths: Path[], more: Partial<Ingress> = {}): Ingress {
  const http = {
    paths: paths.map(([path, service, pathType = 'Prefix']) => ({
      ...(path !== undefined && { path }),
      pathType,
      backend: { service: { name: service, port: { number: 80 } } },
    })),
  };
  const metadata = { name, namespace: 'team', ...more.metadata };
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    spec: { rules: [{ ...(host && { host }), http }] },
    ...more,
    metadata,
  };
}

const serviceOf = (ingresses: Ingress[], host: string, path: string) =>
  buildRouteTable(ingresses).match(host, path)?.backend.service.replace('team/', '');

describe('paths', () => {
  const paths: Path[] = [
    ['/', 'root'],
    ['/foo', 'foo'],
    ['/foo/bar', 'bar'],
    ['/foo', 'exact', 'Exact'],
    ['/slash/', 'slash'],
    ['/exact/', 'exact-slash', 'Exact'],
    ['/impl', 'impl', 'ImplementationSpecific'],
  ];
  test.each([
    ['/', 'root'],
    ['/foo', 'exact'],
    ['/foo/', 'foo'],
    ['/foo/x', 'foo'],
    ['/foobar', 'root'],
    ['/foo/bar', 'bar'],
    ['/foo/bar/baz', 'bar'],
    ['/foo/barbaz', 'foo'],
    ['/slash', 'slash'],
    ['/slash/x', 'slash'],
    ['/exact/', 'exact-slash'],
    ['/exact', 'root'],
    ['/impl/x', 'impl'],
    ['/FOO', 'root'],
  ])('%s goes to %s', (path, service) => {
    expect(serviceOf([ingress('a', 'x.test', paths)], 'x.test', path)).toBe(service);
  });

  test('a path that no rule has goes nowhere', () => {
    expect(serviceOf([ingress('a', 'x.test', [['/foo', 'foo']])], 'x.test', '/other')).toBeUndefined();
  });
});

describe('hosts', () => {
  const all = [
    ingress('exact', 'a.x.test', [['/', 'exact']]),
    ingress('wildcard', '*.x.test', [['/', 'wildcard']]),
    ingress('upper', 'UPPER.test', [['/', 'upper']]),
  ];
  test.each([
    ['a.x.test', 'exact'],
    ['b.x.test', 'wildcard'],
    ['a.b.x.test', undefined],
    ['x.test', undefined],
    ['upper.test', 'upper'],
    ['localhost', undefined],
    ['', undefined],
  ])('%s goes to %s', (host, service) => {
    expect(serviceOf(all, host, '/')).toBe(service);
  });

  test('rules without a host answer what no other rule does', () => {
    const any = [...all, ingress('any', undefined, [['/', 'any']])];
    expect(serviceOf(any, 'unknown.test', '/')).toBe('any');
    expect(serviceOf(any, 'a.x.test', '/')).toBe('exact');
  });

  test('a default backend answers on the hosts of its Ingress, or everywhere when it names none', () => {
    const defaultBackend = { service: { name: 'default', port: { number: 80 } } };
    const own = ingress('own', 'own.test', [['/foo', 'foo']]);
    own.spec = { ...own.spec, defaultBackend };
    expect(serviceOf([own], 'own.test', '/x')).toBe('default');
    expect(serviceOf([own], 'else.test', '/x')).toBeUndefined();
    const everywhere = { ...ingress('every', undefined, []), spec: { defaultBackend } };
    expect(serviceOf([own, everywhere], 'else.test', '/x')).toBe('default');
  });

  test.each([
    ['Example.TEST:8080', 'example.test'],
    ['example.test.', 'example.test'],
    ['[::1]:80', '[::1]'],
  ])('%s is read as %s', (host, normal) => {
    expect(normalizeHost(host)).toBe(normal);
  });
});

test('of two Ingresses that ask for the same, the older keeps it, in whatever order they come', () => {
  const at = (name: string, creationTimestamp: string) =>
    ingress(name, 'x.test', [['/', name]], { metadata: { name, namespace: 'team', creationTimestamp } });
  const [old, young] = [at('old', '2026-01-01T00:00:00Z'), at('young', '2026-01-02T00:00:00Z')];
  expect(serviceOf([old, young], 'x.test', '/')).toBe('old');
  expect(serviceOf([young, old], 'x.test', '/')).toBe('old');
});

test.each<[string, unknown]>([
  ['no spec', undefined],
  ['an empty spec', {}],
  ['a rule without http', { rules: [{ host: 'x.test' }] }],
  ['a path without backend', { rules: [{ host: 'x.test', http: { paths: [{ path: '/' }] } }] }],
  ['a resource backend', { rules: [{ host: 'x.test', http: { paths: [{ path: '/', backend: { resource: {} } }] } }] }],
])('an Ingress with %s routes nothing and breaks nothing', (_name, spec) => {
  const odd = { ...ingress('odd', 'x.test', []), spec } as Ingress;
  expect(serviceOf([odd, ingress('good', 'x.test', [['/', 'good']])], 'x.test', '/')).toBe('good');
});

test('building anew over 500 Ingresses takes milliseconds', () => {
  const many = Array.from({ length: 500 }, (_, i) =>
    ingress(`i-${i}`, `host-${i}.test`, [
      ['/', 'a'],
      ['/api', 'b'],
    ]),
  );
  buildRouteTable(many);
  const started = performance.now();
  for (let i = 0; i < 20; i++) buildRouteTable(many);
  expect((performance.now() - started) / 20).toBeLessThan(20);
});

describe('class', () => {
  const ours = { apiVersion: 'v1', kind: 'IngressClass', metadata: { name: 'ours' } };
  const annotations = { 'ingressclass.kubernetes.io/is-default-class': 'true' };
  const asDefault = { ...ours, metadata: { name: 'ours', annotations } };
  const plain = ingress('a', 'x.test', []);
  const withClass = (ingressClassName: string) => ({ ...plain, spec: { ingressClassName } });
  const annotated = {
    ...plain,
    metadata: { ...plain.metadata, annotations: { 'kubernetes.io/ingress.class': 'ours' } },
  };
  test.each([
    ['its class', withClass('ours'), [ours], true],
    ['another class', withClass('theirs'), [asDefault], false],
    ['the old annotation', annotated, [], true],
    ['no class, ours the default', plain, [asDefault], true],
    ['no class and no default', plain, [ours], false],
  ])('%s: %s', (_name, object, classes, expected) => {
    expect(isOurs(object as Ingress, 'ours', classes)).toBe(expected);
  });
});
