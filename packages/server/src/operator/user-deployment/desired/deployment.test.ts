import { sha256 } from '@berth/core/sha256';
import { violationsOf } from '@berth/kube/embedded/api/admission/pod-security/policy';
import { describe, expect, it } from 'vitest';
import { database, owner, service, spec } from '../../testing/fixtures.ts';
import { covers } from '../covers.ts';
import { childLabels, HASH_ANNOTATION } from './child.ts';
import { deploymentOf } from './deployment.ts';
import { podTemplateOf, TEMPLATE_HASH_ANNOTATION } from './pod-template.ts';

const build = (parts: Parameters<typeof service>[0], more: Parameters<typeof spec>[0] = {}) =>
  deploymentOf(owner(), service(parts), { spec: spec({ services: [service(parts)], ...more }), options: {} })
    .object as unknown as Built;

interface Built {
  metadata: { annotations: Record<string, string>; ownerReferences: unknown[] };
  spec: {
    replicas: number;
    strategy: unknown;
    template: {
      metadata: { labels: Record<string, string>; annotations: Record<string, string> };
      spec: Record<string, unknown> & { containers: Record<string, unknown>[] };
    };
  };
}

interface EndingPod {
  containers: object[];
}

describe('the Deployment of a service', () => {
  it('is owned by the UserDeployment and by nobody else', () => {
    expect(build({}).metadata.ownerReferences).toEqual([
      expect.objectContaining({ kind: 'UserDeployment', uid: 'uid-1', controller: true }),
    ]);
  });

  it('runs one pod unless told otherwise, and none when stopped', () => {
    expect(build({}).spec.replicas).toBe(1);
    expect(build({ replicas: 3 }).spec.replicas).toBe(3);
    expect(build({ replicas: 3 }, { desired: 'stopped' }).spec.replicas).toBe(0);
  });

  it('has pods that other tools can group by, and never selects by that', () => {
    const { object } = deploymentOf(owner(), database(), { spec: spec({ services: [database()] }), options: {} });
    const { selector, template } = object.spec as { selector: unknown; template: Built['spec']['template'] };
    expect(template.metadata.labels).toMatchObject({
      'app.kubernetes.io/name': 'postgres',
      'app.kubernetes.io/instance': 'shop-database',
      'app.kubernetes.io/component': 'database',
      'app.kubernetes.io/part-of': 'shop',
      'app.kubernetes.io/managed-by': 'berth',
      'app.kubernetes.io/version': '18',
    });
    expect(selector).toEqual({
      matchLabels: { 'berth.dev/deployment': 'shop', 'berth.dev/service': 'database' },
    });
  });

  it('keeps pods that an older operator made without those labels, until something else replaces them', () => {
    const input = { spec: spec(), options: {} };
    const withLabels = podTemplateOf(owner(), service(), input);
    const earlier = structuredClone(withLabels);
    const labels = childLabels(owner(), 'web');
    const { [TEMPLATE_HASH_ANNOTATION]: _hash, ...annotations } = earlier.metadata.annotations;
    const standingHash = sha256(JSON.stringify({ labels, annotations, podSpec: earlier.spec })).slice(0, 16);
    const kept = podTemplateOf(owner(), service(), { ...input, standingHash });
    expect(kept.metadata.labels).toEqual(labels);
    expect(kept.metadata.annotations[TEMPLATE_HASH_ANNOTATION]).toBe(standingHash);
    const changed = service({ image: 'berth.dev/whoami:2' });
    const replaced = podTemplateOf(owner(), changed, { ...input, standingHash });
    expect(replaced.metadata.labels).toHaveProperty('app.kubernetes.io/version', '2');
  });

  it.each([
    ['berth.dev/whoami:1', 'registry.example.com/berth/whoami:1'],
    ['acme/whoami:1', 'acme/whoami:1'],
    ['berth.dev.example.com/whoami:1', 'berth.dev.example.com/whoami:1'],
  ])('takes %s from the registry of the installation: %s', (image, expected) => {
    const one = service({ image });
    const options = { imagePrefix: 'registry.example.com/berth' };
    const template = podTemplateOf(owner(), one, { spec: spec({ services: [one] }), options });
    expect(template.spec.containers).toMatchObject([{ image: expected }]);
  });

  it('tells a Prometheus where its figures are, when it has some', () => {
    const metrics = { port: 'http', path: '/figures' };
    expect(build({ metrics }).spec.template.metadata.annotations).toMatchObject({
      'prometheus.io/scrape': 'true',
      'prometheus.io/port': '8080',
      'prometheus.io/path': '/figures',
    });
    expect(build({ metrics: { port: 'http' } }).spec.template.metadata.annotations).toMatchObject({
      'prometheus.io/path': '/metrics',
    });
    expect(build({}).spec.template.metadata.annotations).not.toHaveProperty('prometheus.io/scrape');
  });

  it('fits the restricted Pod Security level', () => {
    const { spec: pod } = build({}).spec.template;
    expect(pod.automountServiceAccountToken).toBe(false);
    expect(pod.enableServiceLinks).toBe(false);
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
    expect(pod.containers[0]?.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
      runAsNonRoot: true,
      seccompProfile: { type: 'RuntimeDefault' },
    });
    for (const parts of [{}, database()]) {
      const { template } = build(parts).spec;
      expect(violationsOf(template, { level: 'restricted', version: 'latest' })).toEqual([]);
    }
  });

  it('brings the new pod before the old one goes, unless they would share a volume', () => {
    expect(build({}).spec.strategy).toEqual({
      type: 'RollingUpdate',
      rollingUpdate: { maxUnavailable: 0, maxSurge: 1 },
    });
    expect(build(database()).spec.strategy).toEqual({ type: 'Recreate' });
  });

  it('doubles every dollar of values, commands, arguments and probes, so that nothing is expanded', () => {
    const [container] = build({
      command: ['sh', '-c', 'echo $(HOME)'],
      args: ['$$'],
      env: [{ name: 'HASH', value: '$2a$12$mSNGEiOT7urQP' }],
      probes: { liveness: { exec: { command: ['test', '$(A)'] } } },
    }).spec.template.spec.containers;
    expect(container).toMatchObject({
      command: ['sh', '-c', 'echo $$(HOME)'],
      args: ['$$$$'],
      env: [{ name: 'HASH', value: '$$2a$$12$$mSNGEiOT7urQP' }],
      livenessProbe: { exec: { command: ['test', '$$(A)'] } },
    });
  });

  it('takes a secret from the Secret of the service', () => {
    const [container] = build({ name: 'web', env: [{ name: 'PASSWORD', secretKey: 'password' }] }).spec.template.spec
      .containers;
    expect(container?.env).toEqual([
      { name: 'PASSWORD', valueFrom: { secretKeyRef: { name: 'shop-web', key: 'password' } } },
    ]);
  });

  it('mounts each file on its own, so that what the image has beside it stays', () => {
    const { spec: pod } = build({
      files: [
        { path: '/etc/app.conf', content: 'a=$1' },
        { path: '/etc/key.pem', secretKey: 'key' },
      ],
    }).spec.template;
    expect(pod.containers[0]?.volumeMounts).toEqual([
      {
        name: 'berth--files',
        mountPath: '/etc/app.conf',
        subPath: expect.stringMatching(/^app\.conf\./),
        readOnly: true,
      },
      { name: 'berth--secret-files', mountPath: '/etc/key.pem', subPath: 'key', readOnly: true },
    ]);
    expect(pod.volumes).toMatchObject([
      { name: 'berth--files', configMap: { name: expect.stringMatching(/^shop-web--[0-9a-f]{10}$/) } },
      { name: 'berth--secret-files', secret: { secretName: 'shop-web' } },
    ]);
  });

  it('replaces its pods when a file, the version of its secrets or the time of restart changes', () => {
    const annotations = (parts: Parameters<typeof service>[0], more: Parameters<typeof spec>[0] = {}) => {
      const { [TEMPLATE_HASH_ANNOTATION]: _hash, ...rest } = build(parts, more).spec.template.metadata.annotations;
      return rest;
    };
    const file = (content: string) => build({ files: [{ path: '/a', content }] }).spec.template.spec.volumes;
    expect(file('one')).not.toEqual(file('two'));
    const secret = { env: [{ name: 'A', secretKey: 'a' }] };
    expect(annotations(secret, { secretVersion: 'v2' })).toEqual({ 'berth.dev/secret-version': 'v2' });
    expect(annotations({}, { secretVersion: 'v2' })).toEqual({});
    expect(annotations({}, { restartedAt: 'now' })).toEqual({ 'berth.dev/restarted-at': 'now' });
    expect(annotations({ restartedAt: 'later' })).toEqual({ 'berth.dev/restarted-at': 'later' });
  });

  it('marks its pods with their template, so that those of another version are told from them', () => {
    const hash = (parts: Parameters<typeof service>[0]) =>
      build(parts).spec.template.metadata.annotations[TEMPLATE_HASH_ANNOTATION];
    expect(hash({ replicas: 1 })).toBe(hash({ replicas: 2 }));
    expect(hash({})).not.toBe(hash({ image: 'other' }));
  });

  it('lets a pod that is reached answer for some seconds before it ends, and gives its program all of its time', () => {
    const pod = (parts: Parameters<typeof service>[0]) => build(parts).spec.template.spec as never as EndingPod;
    expect(pod({ stopGraceSeconds: 10 })).toMatchObject({
      terminationGracePeriodSeconds: 13,
      containers: [{ lifecycle: { preStop: { sleep: { seconds: 3 } } } }],
    });
    for (const parts of [{ ports: [] }, database()]) expect(pod(parts).containers[0]).not.toHaveProperty('lifecycle');
  });

  it('counts a pod that no probe vouches for only after it has run for a while', () => {
    const readiness = { http: { path: '/', port: 'http' } };
    expect(build({}).spec).toMatchObject({ minReadySeconds: 10 });
    expect(build({ probes: { readiness } }).spec).not.toHaveProperty('minReadySeconds');
  });

  it('asks a gRPC probe by number, which alone takes no name', () => {
    const readiness = { grpc: { port: 'http', service: 'shop.Cart' }, periodSeconds: 2 };
    const [container] = build({ probes: { readiness } }).spec.template.spec.containers;
    expect(container).toMatchObject({
      readinessProbe: { grpc: { port: 8080, service: 'shop.Cart' }, periodSeconds: 2 },
    });
  });

  it('carries a hash that changes with it and only with it', () => {
    const hash = (parts: Parameters<typeof service>[0]) => build(parts).metadata.annotations[HASH_ANNOTATION];
    expect(hash({})).toBe(hash({}));
    expect(hash({})).not.toBe(hash({ image: 'other' }));
    expect(covers(build({}), build({}))).toBe(true);
  });
});
