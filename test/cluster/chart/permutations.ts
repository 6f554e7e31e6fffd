/** Ways to install the chart. Each must be taken by a real apiserver at the restricted Pod Security level without a warning. */
export const TRIAL = {
  publicUrl: 'https://berth.example.com',
  apps: { domain: 'apps.example.com' },
  database: { trial: { enabled: true } },
  secrets: { delivery: 'external-secrets' },
};
const OWN = { ...TRIAL, database: { existingSecret: { name: 'berth-database' } } };
const POD = {
  labels: { team: 'platform' },
  annotations: { note: 'yes' },
  env: [{ name: 'NODE_OPTIONS', value: '--max-old-space-size=512' }],
  volumes: [{ name: 'more', emptyDir: {} }],
  volumeMounts: [{ name: 'more', mountPath: '/more' }],
  nodeSelector: { disk: 'fast' },
  tolerations: [{ key: 'dedicated', operator: 'Exists' }],
  affinity: { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] } },
  priorityClassName: 'system-cluster-critical',
  extraContainers: [container('beside')],
  initContainers: [container('before')],
};

export const CONFINED_TO = 'berth-k3v9x0q2m7r4t8wz';

export const PERMUTATIONS: Readonly<Record<string, object>> = {
  'a trial': TRIAL,
  'a trial with its own delivery of secrets': { ...TRIAL, secrets: { delivery: 'built-in' } },
  'a PostgreSQL of one’s own, with an authority': {
    ...OWN,
    database: { ...OWN.database, authority: { configMap: 'postgres-ca' }, port: 6432 },
  },
  'pages of their own behind an Ingress': {
    ...OWN,
    web: { separate: true },
    ingress: { enabled: true, className: 'traefik', annotations: { 'cert-manager.io/cluster-issuer': 'letsencrypt' } },
  },
  'the Gateway API': { ...OWN, web: { separate: true }, gateway: { enabled: true, parentRefs: [{ name: 'public' }] } },
  'every credential from a Secret': {
    ...OWN,
    administrator: { email: 'a@example.com', existingSecret: { name: 'berth-administrator' } },
    secrets: {
      delivery: 'external-secrets',
      masterKey: { name: 'berth-master', key: 'key' },
      internalCertificate: { name: 'berth-internal' },
    },
    traces: { endpoint: 'http://collector.observability:4318', headers: { name: 'collector' } },
  },
  'everything that can be added to pods': {
    ...TRIAL,
    imagePullSecrets: [{ name: 'registry' }],
    image: { registry: 'registry.example.com/berth', digest: `sha256:${'0'.repeat(64)}` },
    commonLabels: { owner: 'platform' },
    commonAnnotations: { contact: 'platform' },
    server: POD,
    operator: POD,
    web: { separate: true, ...POD },
    jobs: POD,
    database: { trial: { enabled: true, ...POD } },
  },
  'one of each, without policies and counters': {
    ...TRIAL,
    server: { replicas: 1 },
    operator: { replicas: 1 },
    networkPolicy: { enabled: false },
    metrics: { enabled: false },
    rbac: { admissionPolicy: false },
  },
  'metrics for the Prometheus Operator': {
    ...TRIAL,
    metrics: { serviceMonitor: { enabled: true, labels: { release: 'prometheus' } } },
    networkPolicy: {
      metricsFrom: [{ namespaceSelector: { matchLabels: { name: 'monitoring' } } }],
      ingressFrom: [{ namespaceSelector: {} }],
      apiServer: { cidrs: ['10.0.0.1/32'] },
    },
  },
  'confined to namespaces': { ...OWN, rbac: { namespaces: [CONFINED_TO] } },
};

export const REFUSALS: Readonly<Record<string, { values: object; says: RegExp }>> = {
  'no address': { values: { ...TRIAL, publicUrl: '' }, says: /publicUrl is missing.*--set publicUrl=https:/s },
  'an address with a path': { values: { ...TRIAL, publicUrl: 'https://a.b/berth' }, says: /without a path/ },
  'no domain for apps': { values: { ...TRIAL, apps: { domain: '' } }, says: /apps\.domain is missing/ },
  'a wildcard as a domain': { values: { ...TRIAL, apps: { domain: '*.apps.test' } }, says: /without \*/ },
  'apps on the host of the platform': {
    values: { ...TRIAL, apps: { domain: 'berth.example.com' } },
    says: /apps must not share a host/,
  },
  'no database': { values: { ...TRIAL, database: {} }, says: /there is no database.*database\.existingSecret\.name/s },
  'two databases': {
    values: { ...TRIAL, database: { trial: { enabled: true }, existingSecret: { name: 'x' } } },
    says: /are both set: keep one/,
  },
  'an Ingress and a Gateway': {
    values: { ...TRIAL, ingress: { enabled: true }, gateway: { enabled: true, parentRefs: [{ name: 'a' }] } },
    says: /ingress\.enabled and gateway\.enabled/,
  },
  'a Gateway without a name': { values: { ...TRIAL, gateway: { enabled: true } }, says: /name your Gateway/ },
  'a password for nobody': {
    values: { ...TRIAL, administrator: { existingSecret: { name: 'x' } } },
    says: /set administrator\.email too/,
  },
  'a certificate from nowhere': {
    values: { ...TRIAL, apps: { domain: 'a.b', tls: 'yes' } },
    says: /apps\.tls is "yes"/,
  },
  'a digest that is none': { values: { ...TRIAL, image: { digest: 'sha256:1' } }, says: /64 hexadecimal digits/ },
  'an administrator without an address': {
    values: { ...TRIAL, administrator: { email: 'you' } },
    says: /administrator\.email is "you"/,
  },
  'an address without a scheme': {
    values: { ...TRIAL, traces: { endpoint: 'collector:4318' } },
    says: /traces\.endpoint is "collector:4318".*http:/,
  },
  'a proxy by its name': {
    values: { ...TRIAL, server: { trustedProxies: ['10.0.0.0/8', 'traefik'] } },
    says: /server\.trustedProxies names "traefik"/,
  },
  'a size that is none': {
    values: { ...TRIAL, database: { trial: { enabled: true, storage: '8GB' } } },
    says: /database\.trial\.storage is "8GB".*8Gi/,
  },
  'a registry with a scheme': {
    values: { ...TRIAL, image: { registry: 'https://registry.example.com' } },
    says: /image\.registry is .*without a scheme/,
  },
  'a plan that is none': { values: { ...TRIAL, server: { plan: 'gold' } }, says: /server\/plan.*'free', 'business'/ },
  "a namespace that is no team's": {
    values: { ...TRIAL, rbac: { namespaces: ['shop'] } },
    says: /rbac\.namespaces names shop.*berth teams/,
  },
  'no server at all': { values: { ...TRIAL, server: { replicas: 0 } }, says: /server\.replicas is 0/ },
  'teams beside Berth itself': {
    values: { ...TRIAL, rbac: { namespaces: ['chart-try'] } },
    says: /must not run beside/,
  },
  'a name that is spelled wrong': { values: { ...TRIAL, serverr: { replicas: 2 } }, says: /serverr.*not allowed/s },
  'a name that is spelled wrong inside': {
    values: { ...TRIAL, server: { replica: 2 } },
    says: /\/server.*replica.*not allowed/s,
  },
  'a text for a number': { values: { ...TRIAL, server: { replicas: 'two' } }, says: /\/server\/replicas.*integer/s },
  'a choice that is none': {
    values: { ...TRIAL, secrets: { delivery: 'vault' } },
    says: /\/secrets\/delivery.*built-in/s,
  },
};

function container(name: string): object {
  return {
    name,
    image: 'busybox',
    securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
  };
}
