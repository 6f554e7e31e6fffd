import type { KubeObject } from '../../../schema/object.ts';
import type { PolicyRule } from './rbac.ts';

/** The roles and bindings that every cluster begins with, those of a real one that are of use here. */
const READ = ['get', 'list', 'watch'];
const WRITE = ['create', 'delete', 'deletecollection', 'patch', 'update'];
const CORE = [
  'configmaps',
  'events',
  'persistentvolumeclaims',
  'pods',
  'pods/log',
  'pods/status',
  'serviceaccounts',
  'services',
  'services/status',
  'limitranges',
  'resourcequotas',
  'resourcequotas/status',
  'persistentvolumeclaims/status',
];
const DISCOVERY = [
  '/api',
  '/api/*',
  '/apis',
  '/apis/*',
  '/healthz',
  '/livez',
  '/openapi',
  '/openapi/*',
  '/readyz',
  '/version',
  '/version/',
];
const PUBLIC = ['/healthz', '/livez', '/readyz', '/version', '/version/'];

const viewRules: PolicyRule[] = [
  { apiGroups: [''], resources: [...CORE, 'namespaces', 'namespaces/status'], verbs: READ },
  {
    apiGroups: ['apps'],
    resources: [
      'controllerrevisions',
      'deployments',
      'deployments/scale',
      'deployments/status',
      'replicasets',
      'replicasets/scale',
      'replicasets/status',
    ],
    verbs: READ,
  },
  { apiGroups: ['batch'], resources: ['cronjobs', 'cronjobs/status', 'jobs', 'jobs/status'], verbs: READ },
  { apiGroups: ['networking.k8s.io'], resources: ['ingresses', 'ingresses/status', 'networkpolicies'], verbs: READ },
  { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: READ },
  { apiGroups: ['metrics.k8s.io'], resources: ['pods', 'nodes'], verbs: READ },
];
const editRules: PolicyRule[] = [
  ...viewRules,
  { apiGroups: [''], resources: ['secrets'], verbs: READ },
  {
    apiGroups: [''],
    resources: ['configmaps', 'events', 'persistentvolumeclaims', 'pods', 'secrets', 'serviceaccounts', 'services'],
    verbs: WRITE,
  },
  { apiGroups: [''], resources: ['pods/exec', 'pods/portforward'], verbs: [...READ, ...WRITE] },
  { apiGroups: [''], resources: ['serviceaccounts/token'], verbs: ['create'] },
  {
    apiGroups: ['apps'],
    resources: ['deployments', 'deployments/scale', 'replicasets', 'replicasets/scale'],
    verbs: WRITE,
  },
  { apiGroups: ['batch'], resources: ['cronjobs', 'jobs'], verbs: WRITE },
  { apiGroups: ['networking.k8s.io'], resources: ['ingresses', 'networkpolicies'], verbs: WRITE },
  { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: [...READ, ...WRITE] },
];
const adminRules: PolicyRule[] = [
  ...editRules,
  { apiGroups: ['rbac.authorization.k8s.io'], resources: ['roles', 'rolebindings'], verbs: [...READ, ...WRITE] },
  { apiGroups: ['authorization.k8s.io'], resources: ['localsubjectaccessreviews'], verbs: ['create'] },
];

const ROLES: Record<string, PolicyRule[]> = {
  'cluster-admin': [
    { apiGroups: ['*'], resources: ['*'], verbs: ['*'] },
    { nonResourceURLs: ['*'], verbs: ['*'] },
  ],
  admin: adminRules,
  edit: editRules,
  view: viewRules,
  'system:basic-user': [
    {
      apiGroups: ['authorization.k8s.io'],
      resources: ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'],
      verbs: ['create'],
    },
    { apiGroups: ['authentication.k8s.io'], resources: ['selfsubjectreviews'], verbs: ['create'] },
  ],
  'system:discovery': [{ nonResourceURLs: DISCOVERY, verbs: ['get'] }],
  'system:public-info-viewer': [{ nonResourceURLs: PUBLIC, verbs: ['get'] }],
};

const BINDINGS: Record<string, string[]> = {
  'cluster-admin': ['system:masters'],
  'system:basic-user': ['system:authenticated'],
  'system:discovery': ['system:authenticated'],
  'system:public-info-viewer': ['system:authenticated', 'system:unauthenticated'],
};

const GROUP = 'rbac.authorization.k8s.io';
const labels = { 'kubernetes.io/bootstrapping': 'rbac-defaults' };
const annotations = { 'rbac.authorization.kubernetes.io/autoupdate': 'true' };

export function bootstrapPolicy(): KubeObject[] {
  const roles = Object.entries(ROLES).map(([name, rules]) => ({
    apiVersion: `${GROUP}/v1`,
    kind: 'ClusterRole',
    metadata: { name, labels, annotations },
    rules,
  }));
  const bindings = Object.entries(BINDINGS).map(([name, groups]) => ({
    apiVersion: `${GROUP}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name, labels, annotations },
    subjects: groups.map((group) => ({ kind: 'Group', apiGroup: GROUP, name: group })),
    roleRef: { apiGroup: GROUP, kind: 'ClusterRole', name },
  }));
  return [...roles, ...bindings];
}
