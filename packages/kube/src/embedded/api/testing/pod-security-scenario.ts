import type { ScenarioStep } from './scenario.ts';

/** What a real kube-apiserver says to pods that do not fit their namespace's Pod Security level. */
type Fields = Record<string, unknown>;

const LABEL = 'pod-security.kubernetes.io';
/** One container that fits the restricted level. */
const decent = {
  name: 'web',
  image: 'berth.dev/whoami:1',
  securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
};
const decentSpec = {
  securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
  containers: [decent],
};
const decently = (context: Fields, name = 'web'): Fields => ({
  ...decent,
  name,
  securityContext: { ...decent.securityContext, ...context },
});
const bare = (context: Fields, name = 'web'): Fields => ({ name, image: 'x', securityContext: context });

const namespace = (name: string, labels: Record<string, string>): ScenarioStep => ({
  name: `pod security: make namespace ${name}`,
  method: 'POST',
  path: '/api/v1/namespaces',
  body: {
    metadata: {
      name,
      labels: Object.fromEntries(Object.entries(labels).map(([key, value]) => [`${LABEL}/${key}`, value])),
    },
  },
});
const label = (name: string, labels: Fields): ScenarioStep => ({
  name: `pod security: label ${name} ${JSON.stringify(labels)}`,
  method: 'PATCH',
  path: `/api/v1/namespaces/${name}`,
  type: 'application/merge-patch+json',
  body: {
    metadata: { labels: Object.fromEntries(Object.entries(labels).map(([key, value]) => [`${LABEL}/${key}`, value])) },
  },
});
const account = (namespace: string): ScenarioStep => ({
  name: `pod security: make the account of ${namespace}`,
  method: 'POST',
  path: `/api/v1/namespaces/${namespace}/serviceaccounts`,
  body: { metadata: { name: 'default' } },
});
const pod = (name: string, namespace: string, spec: Fields, metadata: Fields = {}): ScenarioStep => ({
  name: `pod security: ${name} in ${namespace}`,
  method: 'POST',
  path: `/api/v1/namespaces/${namespace}/pods`,
  body: {
    metadata: { name: name.replace(/[^a-z0-9]+/g, '-'), ...metadata },
    // A real server would mount a token of its own accord.
    spec: { automountServiceAccountToken: false, ...spec },
  },
});
const everything = {
  hostPID: true,
  hostIPC: true,
  securityContext: {
    runAsUser: 0,
    runAsNonRoot: false,
    seccompProfile: { type: 'Unconfined' },
    appArmorProfile: { type: 'Unconfined' },
    seLinuxOptions: { type: 'spc_t', user: 'u' },
    sysctls: [
      { name: 'net.core.somaxconn', value: '1' },
      { name: 'net.ipv4.tcp_rmem', value: '1' },
    ],
  },
  volumes: [
    { name: 'h', hostPath: { path: '/' } },
    { name: 'n', nfs: { server: 'a', path: '/' } },
    { name: 'e', emptyDir: {} },
  ],
  initContainers: [
    bare(
      {
        capabilities: { add: ['NET_RAW', 'CHOWN'] },
        runAsUser: 0,
        seLinuxOptions: { type: 'container_engine_t', role: 'r' },
      },
      'first',
    ),
  ],
  containers: [
    {
      ...bare({
        privileged: true,
        procMount: 'Default',
        runAsNonRoot: false,
        seccompProfile: { type: 'Unconfined' },
        appArmorProfile: { type: 'Unconfined' },
      }),
      ports: [
        { containerPort: 80, hostPort: 80 },
        { containerPort: 9, hostPort: 9 },
      ],
      readinessProbe: { httpGet: { host: 'example.test', port: 80 } },
      lifecycle: {
        preStop: { tcpSocket: { host: 'other.test', port: 1 } },
        postStart: { httpGet: { host: 'example.test', port: 1 } },
      },
    },
    {
      ...bare({ capabilities: { add: ['SYS_ADMIN'], drop: ['ALL'] } }, 'side'),
      ports: [{ containerPort: 81, hostPort: 81 }],
    },
  ],
};
const template = (spec: Fields) => ({ metadata: { labels: { app: 'a' } }, spec });
const workload = (kind: string, plural: string, name: string, namespace: string, spec: Fields): ScenarioStep => ({
  name: `pod security: ${kind} ${name} in ${namespace}`,
  method: 'POST',
  path: `/apis/apps/v1/namespaces/${namespace}/${plural}`,
  body: {
    apiVersion: 'apps/v1',
    kind,
    metadata: { name },
    spec: { replicas: 0, selector: { matchLabels: { app: 'a' } }, template: template(spec) },
  },
});

export const podSecurityScenario: ScenarioStep[] = [
  namespace('unclear', { enforce: 'strict', 'enforce-version': '1.34', warn: 'Baseline', 'audit-version': 'v2.0' }),
  namespace('restricted', { enforce: 'restricted' }),
  account('restricted'),
  namespace('baseline', { enforce: 'baseline', warn: 'restricted' }),
  account('baseline'),
  namespace('older', { enforce: 'restricted', 'enforce-version': 'v1.20', warn: 'privileged' }),
  account('older'),
  namespace('open', {}),
  account('open'),
  // Long before the labels that are about them: a real server looks at its cache.
  pod('one', 'open', { containers: [{ name: 'web', image: 'x' }] }),
  pod('two', 'open', { containers: [{ name: 'web', image: 'x' }] }),
  pod('three', 'open', { containers: [bare({ privileged: true })] }),
  pod('four', 'open', decentSpec),
  ...['restricted', 'baseline', 'older'].flatMap((name) => [
    pod('a decent one', name, decentSpec),
    pod('a bare one', name, { containers: [{ name: 'web', image: 'x' }] }),
    pod('everything', name, everything),
    pod('no root', name, { ...decentSpec, securityContext: { ...decentSpec.securityContext, runAsUser: 0 } }),
    pod('two containers that say nothing', name, { containers: [bare({}, 'a'), bare({}, 'b')] }),
    pod('the container says no', name, {
      ...decentSpec,
      containers: [decently({ runAsNonRoot: false, seccompProfile: { type: 'Unconfined' } })],
    }),
    pod('the pod is silent but containers are not', name, {
      containers: [decently({ runAsNonRoot: true, seccompProfile: { type: 'Localhost', localhostProfile: 'x' } })],
    }),
    pod('a capability that is let through', name, {
      ...decentSpec,
      containers: [decently({ capabilities: { drop: ['ALL'], add: ['NET_BIND_SERVICE'] } })],
    }),
    pod('dropping too little', name, {
      ...decentSpec,
      containers: [decently({ capabilities: { drop: ['CHOWN'], add: ['CHOWN'] } })],
    }),
    pod('for windows', name, {
      os: { name: 'windows' },
      securityContext: { runAsNonRoot: true, windowsOptions: { hostProcess: true } },
      hostNetwork: true,
      containers: [{ name: 'web', image: 'x' }],
    }),
    pod('allowed volumes', name, {
      ...decentSpec,
      volumes: [
        { name: 'a', configMap: { name: 'a' } },
        { name: 'b', secret: { secretName: 'b' } },
        { name: 'c', persistentVolumeClaim: { claimName: 'c' } },
        { name: 'd', projected: { sources: [{ configMap: { name: 'a' } }] } },
      ],
    }),
    pod('a probe elsewhere', name, {
      ...decentSpec,
      containers: [{ ...decent, livenessProbe: { tcpSocket: { host: '127.0.0.1', port: 1 } } }],
    }),
    workload('Deployment', 'deployments', 'bare', name, { containers: [{ name: 'web', image: 'x' }] }),
    workload('ReplicaSet', 'replicasets', 'bare', name, { containers: [{ name: 'web', image: 'x' }] }),
    workload('Deployment', 'deployments', 'decent', name, decentSpec),
  ]),
  {
    name: 'pod security: scale a bare deployment',
    method: 'PUT',
    path: '/apis/apps/v1/namespaces/restricted/deployments/bare/scale',
    body: {
      apiVersion: 'autoscaling/v1',
      kind: 'Scale',
      metadata: { name: 'bare', namespace: 'restricted' },
      spec: { replicas: 1 },
    },
  },
  {
    name: 'pod security: label a bare deployment',
    method: 'PATCH',
    path: '/apis/apps/v1/namespaces/restricted/deployments/bare',
    type: 'application/merge-patch+json',
    body: { metadata: { labels: { a: 'b' } } },
  },
  label('open', { warn: 'restricted' }),
  label('open', { enforce: 'baseline' }),
  label('open', { enforce: 'restricted' }),
  label('open', { enforce: 'nonsense' }),
  label('open', { enforce: 'baseline', warn: 'baseline' }),
  {
    name: 'pod security: a label of a pod that would be refused now',
    method: 'PATCH',
    path: '/api/v1/namespaces/open/pods/three',
    type: 'application/merge-patch+json',
    body: { metadata: { labels: { a: 'b' } } },
  },
  {
    name: 'pod security: the image of a pod that would be refused now',
    method: 'PATCH',
    path: '/api/v1/namespaces/open/pods/three',
    type: 'application/strategic-merge-patch+json',
    body: { spec: { containers: [{ name: 'web', image: 'y' }] } },
  },
];
