import { describe, expect, it } from 'vitest';
import type { Container, Pod } from '../../../schema/kinds/pod.ts';
import type { KubeObject } from '../../../schema/object.ts';
import { containerEnvironment } from './container-environment.ts';
import { serviceVariables } from './service-variables.ts';

const HASH = '$2a$12$mSNGEiOT7urQP/Xs10XzPur';
const PEM = '-----BEGIN KEY-----\nMIIB\n-----END KEY-----\n';
const ODD = {
  pem: PEM,
  line: PEM.replaceAll('\n', '\\n'),
  name: 'My String',
  array: "array:'self',blob:,https://*",
  crlf: 'a\r\nb\r\n',
  emoji: '\u{1f600} # =',
  equals: '=x',
  hash: HASH,
  reference: '$(A) $$(A)',
};

const object = (kind: string, data: Record<string, string>): KubeObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name: 'group' },
  data: kind === 'Secret' ? mapValues(data, (value) => Buffer.from(value).toString('base64')) : data,
});
function mapValues(data: Record<string, string>, change: (value: string) => string): Record<string, string> {
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, change(value)]));
}

function environment(container: Partial<Container>, objects: { configMap?: KubeObject; secret?: KubeObject } = {}) {
  const declared: Container = { name: 'web', image: 'web', ...container };
  const pod: Pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web-1', namespace: 'shop', uid: 'u', labels: { app: 'web' } },
    spec: { containers: [declared], nodeName: 'node' },
  };
  return containerEnvironment({
    pod,
    container: declared,
    addresses: { nodeName: 'node', hostIP: '127.0.0.1', podIP: '127.64.0.1' },
    source: {
      configMap: (name) => (name === 'group' ? objects.configMap : undefined),
      secret: (name) => (name === 'group' ? objects.secret : undefined),
    },
    serviceVariables: {},
  });
}

describe('the environment of a container', () => {
  it('expands declared values with what stands before them, and nothing else', () => {
    expect(
      environment({
        env: [
          { name: 'LATER', value: '$(A)' },
          { name: 'PASSWORD_HASH', value: HASH },
          { name: 'A', value: 'dsfla83hkh$ksdhc' },
          { name: 'B', value: '$(A)' },
          { name: 'C', value: '$$(A)' },
        ],
      }),
    ).toEqual({ LATER: '$(A)', PASSWORD_HASH: HASH, A: 'dsfla83hkh$ksdhc', B: 'dsfla83hkh$ksdhc', C: '$(A)' });
  });

  it.each(['ConfigMap', 'Secret'])('takes values from a %s byte for byte', (kind) => {
    const objects = kind === 'Secret' ? { secret: object(kind, ODD) } : { configMap: object(kind, ODD) };
    const whole = kind === 'Secret' ? { secretRef: { name: 'group' } } : { configMapRef: { name: 'group' } };
    expect(environment({ envFrom: [whole] }, objects)).toEqual(ODD);
    const env = Object.keys(ODD).map((key) => {
      const reference = { name: 'group', key };
      return { name: key, valueFrom: kind === 'Secret' ? { secretKeyRef: reference } : { configMapKeyRef: reference } };
    });
    expect(environment({ env }, objects)).toEqual(ODD);
  });

  it('delivers every name a process can have and refuses by name what it cannot', () => {
    const good = { 'TEST-SECRET': 'a', 'spring.datasource.url': 'b', '1bad': 'c', good_key: 'd' };
    expect(environment({ envFrom: [{ secretRef: { name: 'group' } }] }, { secret: object('Secret', good) })).toEqual(
      good,
    );
    for (const name of ['a=b', '']) {
      expect(() =>
        environment({ envFrom: [{ secretRef: { name: 'group' } }] }, { secret: object('Secret', { [name]: 'x' }) }),
      ).toThrow(/cannot be the name of an environment variable; mount it as a file/);
    }
  });

  it('refuses a value that no variable can carry', () => {
    const secret = object('Secret', {});
    secret.data = { raw: Buffer.from([0xff, 0xfe]).toString('base64') };
    expect(() => environment({ envFrom: [{ secretRef: { name: 'group' } }] }, { secret })).toThrow(
      /mount it as a file/,
    );
  });

  it('says what is missing, unless it is optional', () => {
    const missing = (optional: boolean) =>
      environment({ env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 'none', key: 'k', optional } } }] });
    expect(() => missing(false)).toThrow('secret "none" not found');
    expect(missing(true)).toEqual({});
    expect(environment({ envFrom: [{ configMapRef: { name: 'none', optional: true } }] })).toEqual({});
  });

  it('puts a prefix before names, and env over envFrom', () => {
    const configMap = object('ConfigMap', { A: 'map', B: 'map' });
    expect(
      environment(
        { envFrom: [{ prefix: 'X_', configMapRef: { name: 'group' } }], env: [{ name: 'X_A', value: 'env' }] },
        { configMap },
      ),
    ).toEqual({ X_A: 'env', X_B: 'map' });
  });

  it('knows fields and resources', () => {
    const env = [
      { name: 'IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
      { name: 'APP', valueFrom: { fieldRef: { fieldPath: "metadata.labels['app']" } } },
      { name: 'MEM', valueFrom: { resourceFieldRef: { resource: 'limits.memory', divisor: '1Mi' } } },
    ];
    expect(environment({ env, resources: { limits: { memory: '64Mi' } } })).toEqual({
      IP: '127.64.0.1',
      APP: 'web',
      MEM: '64',
    });
  });

  it('has the variables of services', () => {
    const service = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'my-db' },
      spec: { clusterIP: '127.32.0.9', ports: [{ name: 'sql', port: 5432 }] },
    };
    expect(serviceVariables([service])).toMatchObject({
      MY_DB_SERVICE_HOST: '127.32.0.9',
      MY_DB_SERVICE_PORT: '5432',
      MY_DB_SERVICE_PORT_SQL: '5432',
      MY_DB_PORT_5432_TCP: 'tcp://127.32.0.9:5432',
    });
  });
});
