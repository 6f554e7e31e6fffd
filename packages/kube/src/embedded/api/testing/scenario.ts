/**
 * Requests whose answers were recorded from a real kube-apiserver (answers.recorded.json, written by scripts/record-answers.ts) and
 * are compared with ours. They run in this order in one namespace, so that later ones meet what earlier ones left.
 */
import { podSecurityScenario } from './pod-security-scenario.ts';
import { sizeScenario } from './size-scenario.ts';

export interface ScenarioStep {
  name: string;
  method: string;
  path: string;
  body?: unknown;
  type?: string;
  accept?: string;
  agent?: string;
}

const ns = '/api/v1/namespaces/answers';
const apps = '/apis/apps/v1/namespaces/answers';
const custom = '/apis/example.dev/v1/namespaces/answers';
const MERGE = 'application/merge-patch+json';
const STRATEGIC = 'application/strategic-merge-patch+json';
const JSON_PATCH = 'application/json-patch+json';
const APPLY = 'application/apply-patch+yaml';
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';

const configMap = (name: string, data?: object, more = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...more },
  ...(data && { data }),
});
const container = { name: 'main', image: 'berth.dev/whoami:1', ports: [{ containerPort: 8080, name: 'http' }] };
const deployment = (name: string, more = {}) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, labels: { app: name } },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [container] } },
    ...more,
  },
});
const pod = (name: string, spec: object) => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec });
const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.dev' },
  spec: {
    group: 'example.dev',
    scope: 'Namespaced',
    names: { plural: 'widgets', kind: 'Widget', shortNames: ['wd'] },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: {
          status: {},
          scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
        },
        additionalPrinterColumns: [{ name: 'Phase', type: 'string', jsonPath: '.status.phase' }],
        schema: {
          openAPIV3Schema: {
            type: 'object',
            required: ['spec'],
            properties: {
              spec: {
                type: 'object',
                required: ['image'],
                'x-kubernetes-validations': [
                  { rule: 'self.replicas <= 5', message: 'at most five replicas' },
                  { rule: 'self.image == oldSelf.image', message: 'image cannot change' },
                ],
                properties: {
                  image: { type: 'string', minLength: 2, maxLength: 20, pattern: '^[a-z]+$' },
                  replicas: { type: 'integer', minimum: 0, maximum: 9, default: 1 },
                  mode: { type: 'string', enum: ['fast', 'slow'] },
                  port: { 'x-kubernetes-int-or-string': true },
                  free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
                  when: { type: 'string', format: 'date-time' },
                  items: {
                    type: 'array',
                    maxItems: 3,
                    'x-kubernetes-list-type': 'map',
                    'x-kubernetes-list-map-keys': ['name'],
                    items: {
                      type: 'object',
                      required: ['name'],
                      properties: { name: { type: 'string' }, value: { type: 'string' } },
                    },
                  },
                },
              },
              status: { type: 'object', properties: { phase: { type: 'string' }, replicas: { type: 'integer' } } },
            },
          },
        },
      },
    ],
  },
};
const widget = (name: string, spec: object, more = {}) => ({
  apiVersion: 'example.dev/v1',
  kind: 'Widget',
  metadata: { name },
  spec,
  ...more,
});

const post = (name: string, path: string, body: unknown): ScenarioStep => ({ name, method: 'POST', path, body });
const put = (name: string, path: string, body: unknown): ScenarioStep => ({ name, method: 'PUT', path, body });
const get = (name: string, path: string, accept?: string): ScenarioStep => ({
  name,
  method: 'GET',
  path,
  ...(accept && { accept }),
});
const patch = (name: string, path: string, type: string, body: unknown): ScenarioStep => ({
  name,
  method: 'PATCH',
  path,
  type,
  body,
});
const remove = (name: string, path: string, body?: unknown): ScenarioStep => ({
  name,
  method: 'DELETE',
  path,
  ...(body !== undefined && { body }),
});

export const scenario: ScenarioStep[] = [
  post('create a namespace', '/api/v1/namespaces', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'answers' },
  }),
  post('a service account for pods', `${ns}/serviceaccounts`, {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: 'default' },
  }),
  post('create in a namespace that is not there', '/api/v1/namespaces/nowhere/configmaps', configMap('a')),
  post('create a config map', `${ns}/configmaps`, configMap('a', { key: 'value' })),
  post('create it again', `${ns}/configmaps`, configMap('a', { key: 'value' })),
  post('create with another namespace', `${ns}/configmaps`, configMap('b', {}, { namespace: 'default' })),
  post('create with a bad name', `${ns}/configmaps`, configMap('Bad_Name')),
  post('create without a name', `${ns}/configmaps`, { apiVersion: 'v1', kind: 'ConfigMap', metadata: {} }),
  post('create with a version', `${ns}/configmaps`, configMap('b', {}, { resourceVersion: '7' })),
  post('create with bad labels', `${ns}/configmaps`, configMap('b', {}, { labels: { 'a b': 'c d' } })),
  post('create with a bad key', `${ns}/configmaps`, configMap('b', { 'a/b': 'c' })),
  post('create with a wrong type', `${ns}/configmaps`, { ...configMap('b'), data: { a: 1 } }),
  post('create another kind', `${ns}/configmaps`, { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'b' } }),
  post('create with an unknown field, strictly', `${ns}/configmaps?fieldValidation=Strict`, {
    ...configMap('b'),
    datum: {},
    metadata: { name: 'b', lables: {} },
  }),
  post('create with an unknown field, dry', `${ns}/configmaps?dryRun=All`, { ...configMap('b'), datum: {} }),
  get('read it', `${ns}/configmaps/a`),
  get('read what is not there', `${ns}/configmaps/none`),
  get('read a kind that is not there', `${ns}/gadgets/none`),
  get('list as a table', `${ns}/configmaps`, TABLE),
  put('replace under another name', `${ns}/configmaps/a`, configMap('b')),
  put('replace with a stale version', `${ns}/configmaps/a`, configMap('a', {}, { resourceVersion: '1' })),
  put('replace with another uid', `${ns}/configmaps/a`, configMap('a', {}, { uid: 'other' })),
  put('replace what is not there', `${ns}/configmaps/none`, configMap('none')),
  put('replace it', `${ns}/configmaps/a`, configMap('a', { key: 'other' })),
  patch('merge patch', `${ns}/configmaps/a`, MERGE, {
    data: { key: null, more: 'x' },
    metadata: { labels: { a: 'b' } },
  }),
  patch('json patch', `${ns}/configmaps/a`, JSON_PATCH, [{ op: 'add', path: '/data/y', value: 'z' }]),
  patch('json patch whose test fails', `${ns}/configmaps/a`, JSON_PATCH, [{ op: 'test', path: '/data/y', value: 'q' }]),
  patch('json patch of a path that is not there', `${ns}/configmaps/a`, JSON_PATCH, [
    { op: 'remove', path: '/data/none' },
  ]),
  patch('patch of an unknown type', `${ns}/configmaps/a`, 'application/unknown-patch+json', {}),
  patch('patch the name', `${ns}/configmaps/a`, MERGE, { metadata: { name: 'b' } }),
  patch('patch what is not there', `${ns}/configmaps/none`, MERGE, {}),

  post('create a secret', `${ns}/secrets`, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 's' },
    stringData: { a: '$(x) $$y' },
  }),
  post('create a tls secret without keys', `${ns}/secrets`, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 't' },
    type: 'kubernetes.io/tls',
  }),
  post('create a secret with bad base64', `${ns}/secrets`, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 't' },
    data: { a: '***' },
  }),
  patch('change the type of a secret', `${ns}/secrets/s`, MERGE, { type: 'other' }),
  patch('make a secret immutable', `${ns}/secrets/s`, MERGE, { immutable: true }),
  patch('change an immutable secret', `${ns}/secrets/s`, MERGE, { data: { a: 'eA==' } }),

  post('create a deployment', `${apps}/deployments`, deployment('web')),
  post('create an empty deployment', `${apps}/deployments`, {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'empty' },
    spec: {},
  }),
  post('create a deployment without selector', `${apps}/deployments`, deployment('bad', { selector: undefined })),
  post(
    'create a deployment whose labels differ',
    `${apps}/deployments`,
    deployment('bad', { selector: { matchLabels: { app: 'other' } } }),
  ),
  post(
    'create a deployment that cannot roll',
    `${apps}/deployments`,
    deployment('bad', { strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } } }),
  ),
  post('create a deployment with negative replicas', `${apps}/deployments`, deployment('bad', { replicas: -1 })),
  post('create a deployment with words for replicas', `${apps}/deployments`, deployment('bad', { replicas: 'two' })),
  patch('change the selector', `${apps}/deployments/web`, MERGE, {
    spec: { selector: { matchLabels: { app: 'web', more: 'x' } }, template: { metadata: { labels: { more: 'x' } } } },
  }),
  patch('strategic merge by name', `${apps}/deployments/web`, STRATEGIC, {
    spec: {
      template: {
        spec: {
          containers: [
            { name: 'main', env: [{ name: 'A', value: '1' }] },
            { name: 'side', image: 'side:2' },
          ],
        },
      },
    },
  }),
  patch('strategic removal', `${apps}/deployments/web`, STRATEGIC, {
    spec: { template: { spec: { containers: [{ name: 'side', $patch: 'delete' }] } } },
  }),
  patch('write the status', `${apps}/deployments/web/status`, MERGE, {
    spec: { replicas: 9 },
    status: { replicas: 2, readyReplicas: 1, updatedReplicas: 2, availableReplicas: 1 },
  }),
  get('read the scale', `${apps}/deployments/web/scale`),
  put('write the scale', `${apps}/deployments/web/scale`, {
    apiVersion: 'autoscaling/v1',
    kind: 'Scale',
    metadata: { name: 'web', namespace: 'answers' },
    spec: { replicas: 3 },
  }),
  get('deployments as a table', `${apps}/deployments`, TABLE),

  patch('apply anew', `${apps}/deployments/applied?fieldManager=first`, APPLY, deployment('applied')),
  patch('apply again', `${apps}/deployments/applied?fieldManager=first`, APPLY, deployment('applied')),
  patch(
    'apply against another manager',
    `${apps}/deployments/applied?fieldManager=second`,
    APPLY,
    deployment('applied', { replicas: 5 }),
  ),
  patch(
    'apply with force',
    `${apps}/deployments/applied?fieldManager=second&force=true`,
    APPLY,
    deployment('applied', { replicas: 5 }),
  ),
  patch('apply less', `${ns}/configmaps/applied?fieldManager=first`, APPLY, configMap('applied', { a: '1', b: '2' })),
  patch('apply less, really', `${ns}/configmaps/applied?fieldManager=first`, APPLY, configMap('applied', { a: '1' })),
  patch('apply two conflicts', `${ns}/configmaps/a?fieldManager=first`, APPLY, configMap('a', { more: '1', y: '2' })),
  patch('apply without a manager', `${ns}/configmaps/applied`, APPLY, configMap('applied', { a: '1' })),
  patch(
    'apply with managed fields',
    `${ns}/configmaps/applied?fieldManager=first`,
    APPLY,
    configMap('applied', {}, { managedFields: [{}] }),
  ),

  post(
    'create a pod',
    `${ns}/pods`,
    pod('p', {
      automountServiceAccountToken: false,
      containers: [
        {
          ...container,
          resources: { limits: { cpu: '1000m', memory: '64Mi' } },
          env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
        },
      ],
    }),
  ),
  post('create a pod without containers', `${ns}/pods`, pod('bad', { containers: [] })),
  post(
    'create a pod with many faults',
    `${ns}/pods`,
    pod('bad', {
      restartPolicy: 'Perhaps',
      volumes: [{ name: 'v', emptyDir: {}, secret: { secretName: 'x' } }],
      containers: [
        {
          name: 'A_b',
          image: '',
          ports: [{ containerPort: 70000 }],
          volumeMounts: [{ name: 'none', mountPath: '/x' }],
          env: [{ name: '', value: 'x' }],
        },
        { name: 'x', image: 'y', resources: { requests: { cpu: '2' }, limits: { cpu: '1' } }, livenessProbe: {} },
      ],
    }),
  ),
  patch('change a pod', `${ns}/pods/p`, MERGE, { spec: { restartPolicy: 'Never' } }),
  get('pods as a table', `${ns}/pods`, TABLE),
  remove('delete a pod that never ran', `${ns}/pods/p`),

  post('create a service without ports', `${ns}/services`, {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'bad' },
    spec: {},
  }),
  post('create a service with bad ports', `${ns}/services`, {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'bad' },
    spec: { ports: [{ port: 80 }, { port: 80 }] },
  }),
  post('create a headless service', `${ns}/services`, {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'none' },
    spec: { clusterIP: 'None', selector: { app: 'web' }, ports: [{ port: 80, name: 'http' }] },
  }),
  patch('change a headless service', `${ns}/services/none`, MERGE, {
    spec: { clusterIP: 'None', clusterIPs: ['None'], publishNotReadyAddresses: true },
  }),
  get('services as a table', `${ns}/services`, TABLE),
  post('create a claim without size', `${ns}/persistentvolumeclaims`, {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'c' },
    spec: { accessModes: ['ReadWriteOnce'] },
  }),
  post('create a claim', `${ns}/persistentvolumeclaims`, {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'c' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1024Mi' } } },
  }),
  patch('change a claim', `${ns}/persistentvolumeclaims/c`, MERGE, { spec: { accessModes: ['ReadWriteMany'] } }),
  post('create an ingress', '/apis/networking.k8s.io/v1/namespaces/answers/ingresses', {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: { name: 'i' },
    spec: {
      rules: [
        {
          host: 'a.example.com',
          http: {
            paths: [{ path: '/', pathType: 'Prefix', backend: { service: { name: 'web', port: { number: 80 } } } }],
          },
        },
      ],
    },
  }),
  post('create a bad ingress', '/apis/networking.k8s.io/v1/namespaces/answers/ingresses', {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: { name: 'j' },
    spec: { rules: [{ host: 'A b', http: { paths: [{ path: 'x', backend: {} }] } }] },
  }),
  post('create an empty ingress', '/apis/networking.k8s.io/v1/namespaces/answers/ingresses', {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: { name: 'j' },
    spec: {},
  }),
  post('create a network policy', '/apis/networking.k8s.io/v1/namespaces/answers/networkpolicies', {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: 'n' },
    spec: { podSelector: {}, ingress: [{ ports: [{ port: 80 }] }] },
  }),
  post('create a binding without role', '/apis/rbac.authorization.k8s.io/v1/namespaces/answers/rolebindings', {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { name: 'r' },
    subjects: [{ kind: 'Robot', name: 'x' }],
    roleRef: { kind: 'Role', name: '' },
  }),
  post('create a lease', '/apis/coordination.k8s.io/v1/namespaces/answers/leases', {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: 'l' },
    spec: { holderIdentity: 'me', leaseDurationSeconds: 15, renewTime: '2026-01-01T00:00:00.123456Z' },
  }),
  post('create an event', `${ns}/events`, {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: 'e' },
    involvedObject: { kind: 'Pod', name: 'p', namespace: 'answers' },
    reason: 'Because',
    message: 'so',
    type: 'Normal',
  }),

  post('create a definition', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition),
  post('create a definition under a wrong name', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    ...definition,
    metadata: { name: 'gadgets.example.dev' },
  }),
  post(
    'create a widget',
    `${custom}/widgets`,
    widget('w', { image: 'abc', free: { a: { b: 1 } } }, { status: { phase: 'x' } }),
  ),
  post(
    'create a widget with many faults',
    `${custom}/widgets`,
    widget('bad', { image: 'A', port: true, mode: 'odd', when: 'now', items: [{ name: 'a' }, { name: 'a' }, {}, {}] }),
  ),
  post('create a widget without image', `${custom}/widgets`, widget('bad', {})),
  post('create a widget without spec', `${custom}/widgets`, {
    apiVersion: 'example.dev/v1',
    kind: 'Widget',
    metadata: { name: 'bad' },
  }),
  post('create a widget that breaks a rule', `${custom}/widgets`, widget('bad', { image: 'abc', replicas: 6 })),
  post('create a widget beyond the maximum', `${custom}/widgets`, widget('bad', { image: 'abc', replicas: 10 })),
  post(
    'create a widget with an unknown field, strictly',
    `${custom}/widgets?fieldValidation=Strict`,
    widget('bad', { image: 'abc', colour: 'red' }),
  ),
  patch('break a rule about a change', `${custom}/widgets/w`, MERGE, { spec: { image: 'xyz' } }),
  patch('strategic patch of a custom resource', `${custom}/widgets/w`, STRATEGIC, { spec: { replicas: 2 } }),
  patch('write the status of a widget', `${custom}/widgets/w/status`, MERGE, {
    spec: { replicas: 4 },
    status: { phase: 'Ready', replicas: 1 },
  }),
  patch(
    'apply a widget',
    `${custom}/widgets/v?fieldManager=first`,
    APPLY,
    widget('v', { image: 'abc', items: [{ name: 'a', value: '1' }, { name: 'b' }] }),
  ),
  patch(
    'apply part of a list',
    `${custom}/widgets/v?fieldManager=second`,
    APPLY,
    widget('v', { image: 'abc', items: [{ name: 'c', value: '1' }] }),
  ),
  patch(
    'apply a list item of another',
    `${custom}/widgets/v?fieldManager=second`,
    APPLY,
    widget('v', { image: 'abc', items: [{ name: 'a', value: '2' }] }),
  ),
  get('widgets as a table', `${custom}/widgets`, TABLE),
  get('the scale of a widget', `${custom}/widgets/w/scale`),

  patch('add a finalizer', `${ns}/configmaps/a`, MERGE, { metadata: { finalizers: ['example.dev/hold'] } }),
  patch('add a finalizer without domain', `${ns}/configmaps/a`, MERGE, { metadata: { finalizers: ['hold'] } }),
  remove('delete what is held', `${ns}/configmaps/a`),
  patch('add a finalizer while going', `${ns}/configmaps/a`, MERGE, {
    metadata: { finalizers: ['example.dev/hold', 'example.dev/more'] },
  }),
  patch('let it go', `${ns}/configmaps/a`, MERGE, { metadata: { finalizers: null } }),
  get('it is gone', `${ns}/configmaps/a`),
  remove('delete with a wrong uid', `${ns}/configmaps/applied`, {
    kind: 'DeleteOptions',
    apiVersion: 'v1',
    preconditions: { uid: 'other' },
  }),
  remove('delete a deployment in the foreground', `${apps}/deployments/web`, {
    kind: 'DeleteOptions',
    apiVersion: 'v1',
    propagationPolicy: 'Foreground',
  }),
  remove('delete a config map', `${ns}/configmaps/applied`),
  remove('delete what is not there', `${ns}/configmaps/none`),
  remove('delete a secret', `${ns}/secrets/s`),
  remove('delete a service', `${ns}/services/none`),
  get('select by a bad field', `${ns}/pods?fieldSelector=spec.colour%3Dred`),
  get('select by a bad label', `${ns}/pods?labelSelector=a%20b`),
  ...sizeScenario,
  remove('delete the namespace', '/api/v1/namespaces/answers'),
  post('create in a namespace that is going', `${ns}/configmaps`, configMap('late')),
  ...podSecurityScenario,
];
