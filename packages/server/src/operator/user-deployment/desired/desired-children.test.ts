import { serviceObjectName, volumeClaimName } from '@berth/core/names';
import type { UserDeploymentSpec } from '@berth/core/user-deployment';
import { NETWORK_POLICY } from '@berth/kube/schema/resources';
import { describe, expect, it } from 'vitest';
import { guestbookSpec, keysOf, OPTIONS, owner, service, spec } from '../../testing/fixtures.ts';
import type { Child } from './child.ts';
import { type ChildOptions, desiredChildren } from './desired-children.ts';

interface Parts {
  grantedHosts?: string[];
  claimSizes?: Map<string, string>;
  options?: ChildOptions;
  name?: string;
  before?: UserDeploymentSpec;
}

function children(wanted: UserDeploymentSpec, parts: Parts = {}): Child[] {
  const { grantedHosts = ['shop.localhost'], claimSizes = new Map(), options = OPTIONS, name = 'shop' } = parts;
  const { secretVersion } = wanted;
  const common = { owner: owner({ name }), grantedHosts, claimSizes, templateHashes: new Map(), options };
  return desiredChildren({ ...common, spec: wanted, specHash: 'hash', secretVersion, before: parts.before });
}

const find = (all: Child[], kind: string) => all.find(({ type }) => type.kind === kind)?.object as never as Found;

interface Found {
  metadata: { name: string; labels: Record<string, string>; annotations: Record<string, string> };
  spec: Record<string, never>;
  data: Record<string, string>;
}

describe('what a deployment wants', () => {
  it('is made in an order in which nothing runs before it is isolated or has what it needs', () => {
    expect(keysOf(children(guestbookSpec()))).toEqual([
      'NetworkPolicy/shop-web--ea6c29266f',
      'NetworkPolicy/shop',
      'PersistentVolumeClaim/shop-database-data',
      'ExternalSecret/shop-database',
      'Service/shop-web',
      'Service/shop-database',
      'Deployment/shop-web',
      'Deployment/shop-database',
      'Ingress/shop',
    ]);
  });

  it('is labelled with deployment, service, team and who manages it', () => {
    expect(find(children(spec()), 'Service').metadata.labels).toEqual({
      'berth.dev/deployment': 'shop',
      'berth.dev/service': 'web',
      'berth.dev/team': 'aaaaaaaaaaaaaaaa',
      'app.kubernetes.io/managed-by': 'berth',
      'app.kubernetes.io/part-of': 'shop',
      'app.kubernetes.io/component': 'web',
      'app.kubernetes.io/instance': 'shop-web',
    });
  });

  it('case 4: never gives two deployments of long names the same object', () => {
    const names = ['a'.repeat(60).concat('-one'), 'a'.repeat(60).concat('-two')].map((name) => name.slice(0, 63));
    const [one, two] = names.map((name) => keysOf(children(guestbookSpec(), { name: name! })));
    expect(one!.filter((key) => two!.includes(key))).toEqual([]);
    for (const key of [...one!, ...two!]) expect(key.split('/')[1]).toMatch(/^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/);
  });

  it('has a ConfigMap with the bytes of its files', () => {
    const all = children(spec({ services: [service({ files: [{ path: '/etc/a b', content: '\r\n$é' }] })] }));
    expect(Object.entries(find(all, 'ConfigMap').data)).toEqual([
      [expect.stringMatching(/^a_b\.[0-9a-f]{10}$/), '\r\n$é'],
    ]);
  });

  it('asks for just the secret keys that a service uses, and marks the Secret with their version', () => {
    expect(find(children(guestbookSpec()), 'ExternalSecret')).toMatchObject({
      metadata: { annotations: { 'berth.dev/secret-version': 'v1' } },
      spec: {
        secretStoreRef: { name: 'berth', kind: 'SecretStore' },
        target: {
          name: 'shop-database',
          creationPolicy: 'Owner',
          template: { metadata: { annotations: { 'berth.dev/secret-version': 'v1' } } },
        },
        data: [{ secretKey: 'password', remoteRef: { key: 'shop/password' } }],
      },
    });
  });

  it('never shrinks a claim', () => {
    const size = (current: string | undefined) => {
      const sizes = new Map(current === undefined ? [] : [[volumeClaimName('shop', 'database', 'data'), current]]);
      return find(children(guestbookSpec(), { claimSizes: sizes }), 'PersistentVolumeClaim').spec.resources;
    };
    const asks = (storage: string) => ({ requests: { storage } });
    expect(size(undefined)).toEqual(asks('1Gi'));
    expect(size('500Mi')).toEqual(asks('1Gi'));
    expect(size('2Gi')).toEqual(asks('2Gi'));
    expect(size('1e12')).toEqual(asks('1e12'));
  });

  it('routes granted hosts only', () => {
    const wanted = { ...guestbookSpec() };
    wanted.exposure = [...wanted.exposure!, { host: 'theirs.example.com', service: 'web', port: 'http' }];
    const ingress = find(children(wanted), 'Ingress');
    expect(ingress.spec).toMatchObject({
      ingressClassName: 'berth',
      rules: [
        {
          host: 'shop.localhost',
          http: {
            paths: [
              {
                path: '/',
                pathType: 'Prefix',
                backend: { service: { name: serviceObjectName('shop', 'web'), port: { name: 'http' } } },
              },
            ],
          },
        },
      ],
    });
    expect(JSON.stringify(ingress)).not.toContain('theirs');
    expect(find(children(wanted, { grantedHosts: [] }), 'Ingress')).toBeUndefined();
  });

  it('routes paths to other services of the same host, and opens their ports', () => {
    const api = service({ name: 'api', ports: [{ name: 'rest', port: 9000 }] });
    const paths = [{ path: '/api', service: 'api', port: 'rest' }];
    const exposure = [{ host: 'shop.localhost', service: 'web', port: 'http', paths }];
    const all = children(spec({ services: [service(), api], exposure }));
    const { rules } = find(all, 'Ingress').spec as never as { rules: { http: { paths: object[] } }[] };
    expect(rules[0]?.http.paths).toMatchObject([
      { path: '/api', backend: { service: { name: 'shop-api', port: { name: 'rest' } } } },
      { path: '/', backend: { service: { name: 'shop-web', port: { name: 'http' } } } },
    ]);
    const openings = all.filter(({ type, object }) => type === NETWORK_POLICY && object.metadata.name !== 'shop');
    expect(openings.map(({ object }) => object.spec)).toMatchObject([
      { podSelector: { matchLabels: { 'berth.dev/service': 'web' } }, ingress: [{ ports: [{ port: 8080 }] }] },
      { podSelector: { matchLabels: { 'berth.dev/service': 'api' } }, ingress: [{ ports: [{ port: 9000 }] }] },
    ]);
  });

  it('keeps ports and keys of the version before until that is gone', () => {
    const before = spec({
      services: [service({ ports: [{ name: 'old', port: 81 }], env: [{ name: 'A', secretKey: 'a' }] })],
    });
    const wanted = spec({ services: [service({ env: [{ name: 'B', secretKey: 'b' }] })] });
    const all = children(wanted, { before });
    expect(find(all, 'Service').spec.ports).toMatchObject([{ name: 'http', port: 8080 }, { name: 'old' }]);
    expect(find(all, 'ExternalSecret').spec.data).toMatchObject([{ secretKey: 'a' }, { secretKey: 'b' }]);
  });

  it('has a Job for each state of a job, and a CronJob for one with a schedule', () => {
    const migrate = { name: 'migrate', image: 'm', retries: 0, timeoutSeconds: 30 };
    const report = { name: 'report', image: 'r', schedule: '*/5 * * * *', timeZone: 'Europe/Berlin' };
    const all = children(spec({ jobs: [migrate, report] }));
    expect(find(all, 'Job')).toMatchObject({
      metadata: { annotations: { 'berth.dev/spec-hash': 'hash' } },
      spec: { backoffLimit: 0, activeDeadlineSeconds: 30, template: { spec: { restartPolicy: 'Never' } } },
    });
    expect(find(all, 'CronJob')).toMatchObject({
      metadata: { name: 'shop-report' },
      spec: {
        schedule: '*/5 * * * *',
        timeZone: 'Europe/Berlin',
        concurrencyPolicy: 'Forbid',
        suspend: false,
        successfulJobsHistoryLimit: 3,
        failedJobsHistoryLimit: 3,
      },
    });
    const nameOf = (job: object) => find(children(spec({ jobs: [{ ...migrate, ...job }] })), 'Job').metadata.name;
    expect(nameOf({ dependsOn: ['web'] })).toBe(nameOf({}));
    expect(nameOf({ args: ['--force'] })).not.toBe(nameOf({}));
  });

  it('has a certificate where the cluster makes them', () => {
    const options = { ingressTls: { clusterIssuer: 'letsencrypt' } };
    const ingress = find(children(guestbookSpec(), { options }), 'Ingress');
    expect(ingress.metadata.annotations).toMatchObject({ 'cert-manager.io/cluster-issuer': 'letsencrypt' });
    expect(ingress.spec).toMatchObject({ tls: [{ hosts: ['shop.localhost'], secretName: 'shop--tls' }] });
  });

  it('has the certificate of the ingress controller, or one that every namespace has', () => {
    const ofController = { ingressTls: { defaultCertificate: true } } as const;
    const tlsOf = (options: ChildOptions) => find(children(guestbookSpec(), { options }), 'Ingress').spec.tls;
    expect(tlsOf(ofController)).toEqual([{ hosts: ['shop.localhost'] }]);
    expect(tlsOf({ ingressTls: { secretName: 'wildcard' } })).toEqual([
      { hosts: ['shop.localhost'], secretName: 'wildcard' },
    ]);
  });

  it('tells the ingress controller what the installation wants of every address', () => {
    const options = { ingressAnnotations: { 'traefik.ingress.kubernetes.io/router.entrypoints': 'websecure' } };
    const ingress = find(children(guestbookSpec(), { options }), 'Ingress');
    expect(ingress.metadata.annotations).toMatchObject(options.ingressAnnotations);
  });

  it('lets monitoring in, from outside of teams, where a service has figures', () => {
    const ports = [
      { name: 'http', port: 8080 },
      { name: 'figures', port: 9000 },
    ];
    const wanted = spec({ services: [service({ ports, metrics: { port: 'figures' } })] });
    const { spec: policy } = find(children(wanted), 'NetworkPolicy') as never as { spec: Policy };
    expect(policy.ingress[1]).toEqual({
      from: [{ namespaceSelector: { matchExpressions: [{ key: 'berth.dev/team', operator: 'DoesNotExist' }] } }],
      ports: [{ protocol: 'TCP', port: 9000 }],
    });
  });

  it('lets in its own pods and, to the exposed port of that service alone, what is in no team', () => {
    const policies = children(guestbookSpec()).filter(({ type }) => type === NETWORK_POLICY);
    const [opening, whole] = policies.map(({ object }) => object.spec as never as Policy);
    const own = { podSelector: { matchLabels: { 'berth.dev/deployment': 'shop' } } };
    expect(whole?.ingress).toEqual([{ from: [own] }]);
    expect(opening).toEqual({
      podSelector: { matchLabels: { 'berth.dev/deployment': 'shop', 'berth.dev/service': 'web' } },
      policyTypes: ['Ingress'],
      ingress: [
        {
          from: [{ namespaceSelector: { matchExpressions: [{ key: 'berth.dev/team', operator: 'DoesNotExist' }] } }],
          ports: [{ protocol: 'TCP', port: 8080 }],
        },
      ],
    });
  });

  it('needs one policy where there is one service', () => {
    const exposure = [{ host: 'shop.localhost', service: 'web', port: 'http' }];
    const policies = children(spec({ exposure })).filter(({ type }) => type === NETWORK_POLICY);
    expect(policies.map(({ object }) => object.spec)).toMatchObject([
      { ingress: [{}, { ports: [{ protocol: 'TCP', port: 8080 }] }] },
    ]);
  });

  it('lets out to names and the internet', () => {
    const whole = children(guestbookSpec()).find(({ object }) => object.metadata.name === 'shop');
    const policy = whole?.object.spec as never as Policy;
    expect(policy.egress).toHaveLength(3);
    expect(JSON.stringify(policy.egress)).toContain('169.254.0.0/16');
  });
});

interface Policy {
  ingress: unknown[];
  egress: unknown[];
}
