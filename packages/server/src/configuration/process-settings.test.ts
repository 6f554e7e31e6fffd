import { describe, expect, it } from 'vitest';
import { readSettings } from './environment.ts';
import { keysProblems, serverProblems } from './problems.ts';
import { KEYS_VARIABLES, OPERATOR_VARIABLES, SERVER_VARIABLES } from './process-settings.ts';

const KEY = Buffer.alloc(32).toString('base64');
const SERVER = {
  DATABASE_URL: 'postgres://berth@db/berth',
  BERTH_PUBLIC_URL: 'https://berth.example.com',
  BERTH_MASTER_KEY: KEY,
  BERTH_INTERNAL_AUTHORITY: 'a',
  BERTH_INTERNAL_CERTIFICATE: 'c',
  BERTH_INTERNAL_KEY: 'k',
};
const noFiles = (path: string): string => {
  throw new Error(`no such file: ${path}`);
};

function server(environment: Record<string, string> = {}) {
  return readSettings('The server', SERVER_VARIABLES, {
    environment: { ...SERVER, ...environment },
    readFile: noFiles,
  });
}
function operator(environment: Record<string, string> = {}) {
  const all = { BERTH_PUBLIC_URL: 'https://berth.example.com', ...environment };
  return readSettings('The operator', OPERATOR_VARIABLES, { environment: all, readFile: noFiles });
}

describe('the settings of a server', () => {
  it('are few where it runs in a cluster', () => {
    expect(server()).toMatchObject({
      port: 8080,
      internalPort: 8443,
      internalBind: '127.0.0.1',
      databaseConnections: 10,
      migrate: true,
      web: true,
      installDefinitions: true,
      drainSeconds: 0,
      trustedProxies: [],
      metricsPort: undefined,
      metricsBind: '127.0.0.1',
      traceEndpoint: undefined,
    });
  });

  it('take networks and single addresses of proxies, of both kinds', () => {
    const { trustedProxies } = server({ BERTH_TRUSTED_PROXIES: '10.0.0.0/8, fd00::/8,192.0.2.7 ::1' });
    expect(trustedProxies).toEqual(['10.0.0.0/8', 'fd00::/8', '192.0.2.7', '::1']);
  });

  it.each([
    ['BERTH_TRUSTED_PROXIES', '10.0.0.0/33'],
    ['BERTH_TRUSTED_PROXIES', 'ingress.local'],
    ['BERTH_TRUSTED_PROXIES', 'fd00::/129'],
    ['BERTH_DRAIN_SECONDS', '-1'],
    ['BERTH_DRAIN_SECONDS', '1.5'],
    ['BERTH_DATABASE_CONNECTIONS', '1'],
    ['BERTH_INTERNAL_URL', 'http://berth-internal:8443'],
    ['BERTH_PEER_URL', 'https://10.0.0.1:8443/x'],
    ['BERTH_MIGRATE', 'no'],
    ['BERTH_APP_SCHEME', 'ftp'],
    ['BERTH_BIND', 'everywhere'],
    ['BERTH_PUBLIC_URL', 'https://berth.example.com/berth'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4317'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'authorization'],
  ])('refuse %s=%s by its name', (name, value) => {
    expect(() => server({ [name]: value })).toThrow(new RegExp(`^The server cannot start:\\n {2}${name} must`));
  });

  it('read headers for a collector, with their values escaped', () => {
    const { traceHeaders } = server({ OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20abc, x-scope=a' });
    expect(traceHeaders).toEqual({ authorization: 'Bearer abc', 'x-scope': 'a' });
  });

  it('keep the sign-in of development on loopback', () => {
    expect(serverProblems(server({ BERTH_DEVELOPMENT_SIGN_IN: 'true' }))).toEqual([]);
    const [problem] = serverProblems(server({ BERTH_DEVELOPMENT_SIGN_IN: 'true', BERTH_BIND: '0.0.0.0' }));
    expect(problem).toContain('BERTH_BIND=0.0.0.0 lets others reach it');
  });

  it('want a password for the first administrator', () => {
    const [problem] = serverProblems(server({ BERTH_ADMIN_EMAIL: 'you@example.com' }));
    expect(problem).toContain('BERTH_ADMIN_PASSWORD_FILE');
    expect(serverProblems(server({ BERTH_ADMIN_PASSWORD: 'long enough' }))).toEqual([]);
  });
});

describe('the settings of an operator', () => {
  it.each([
    [undefined, undefined],
    ['none', undefined],
    ['default-certificate', { defaultCertificate: true }],
    ['cluster-issuer:letsencrypt', { clusterIssuer: 'letsencrypt' }],
    ['secret:wildcard-tls', { secretName: 'wildcard-tls' }],
  ])('know TLS as %s', (text, expected) => {
    expect(operator(text === undefined ? {} : { BERTH_INGRESS_TLS: text }).ingressTls).toEqual(expected);
  });

  it.each([
    ['BERTH_INGRESS_TLS', 'cluster-issuer:'],
    ['BERTH_INGRESS_TLS', 'secret:A_B'],
    ['BERTH_INGRESS_ANNOTATIONS', '{"a": 1}'],
    ['BERTH_INGRESS_ANNOTATIONS', 'a=b'],
    ['BERTH_IMAGE_PREFIX', 'https://registry.example.com'],
    ['BERTH_IMAGE_PREFIX', 'registry.example.com/berth/'],
    ['BERTH_SECRETS_DELIVERY', 'vault'],
  ])('refuse %s=%s by its name', (name, value) => {
    expect(() => operator({ [name]: value })).toThrow(`${name} must be`);
  });

  it('take annotations and the registry as they are', () => {
    expect(
      operator({
        BERTH_INGRESS_ANNOTATIONS: '{"traefik.ingress.kubernetes.io/router.tls":"true"}',
        BERTH_IMAGE_PREFIX: 'registry.example.com:5000/team/berth',
      }),
    ).toMatchObject({
      ingressAnnotations: { 'traefik.ingress.kubernetes.io/router.tls': 'true' },
      imagePrefix: 'registry.example.com:5000/team/berth',
    });
  });
});

it('the database of a trial needs a host', () => {
  const environment = { BERTH_KEYS_SECRET: 'berth', BERTH_KEYS_INTERNAL_NAMES: 'a', BERTH_KEYS_DATABASE_SECRET: 'db' };
  const read = (more: object) =>
    keysProblems(
      readSettings('berth keys', KEYS_VARIABLES, { environment: { ...environment, ...more }, readFile: noFiles }),
    );
  expect(read({})).toHaveLength(1);
  expect(read({ BERTH_KEYS_DATABASE_HOST: 'berth-postgres' })).toEqual([]);
});

it('the names of the internal certificate are required', () => {
  const read = (names: string) =>
    readSettings('berth keys', KEYS_VARIABLES, {
      environment: { BERTH_KEYS_SECRET: 'berth', BERTH_KEYS_INTERNAL_NAMES: names },
      readFile: noFiles,
    });
  expect(read('berth-internal.berth.svc, 127.0.0.1').internalNames).toEqual(['berth-internal.berth.svc', '127.0.0.1']);
  expect(() => read('')).toThrow('BERTH_KEYS_INTERNAL_NAMES is required');
  expect(() => read('https://x')).toThrow('BERTH_KEYS_INTERNAL_NAMES must be host names');
});
