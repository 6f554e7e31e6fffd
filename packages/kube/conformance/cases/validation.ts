import type { ConformanceCase } from '../conformance-case.ts';
import { get, merge, pathsIn, post, put } from '../requests.ts';
import { configMap, deployment, job, pod, podSpec, service } from './objects.ts';

export const validation: ConformanceCase[] = [
  {
    name: 'a dry run keeps nothing',
    async run({ ask, send, namespace }) {
      const maps = pathsIn(namespace).core('configmaps');
      await ask('a create', post(`${maps}?dryRun=All`, configMap('a')));
      await ask('is not there', get(`${maps}/a`));
      await send(post(maps, configMap('b')));
      await ask('a change', merge(`${maps}/b?dryRun=All`, { data: { key: 'other' } }), ({ data }) => data);
      await ask('a delete', { method: 'DELETE', path: `${maps}/b?dryRun=All` });
      await ask('is as it was', get(`${maps}/b`), ({ data }) => data);
      await ask('of an unknown kind', post(`${maps}?dryRun=Some`, configMap('a')));
    },
  },
  {
    name: 'unknown fields, three ways',
    async run({ ask, namespace }) {
      const maps = pathsIn(namespace).core('configmaps');
      const odd = { ...configMap('a', {}, { lables: {} }), datum: {} };
      for (const way of ['Strict', 'Warn', 'Ignore']) {
        await ask(way, post(`${maps}?dryRun=All&fieldValidation=${way}`, odd));
      }
      await ask('Sometimes', post(`${maps}?dryRun=All&fieldValidation=Sometimes`, odd));
      await ask(
        'a field twice',
        post(
          `${maps}?dryRun=All&fieldValidation=Strict`,
          '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{},"data":{}}',
        ),
      );
      const deep = deployment('web', {}, { ...podSpec(undefined, { imagee: 'x' }) });
      await ask(
        'deep inside',
        post(`${pathsIn(namespace).apps('deployments')}?dryRun=All&fieldValidation=Strict`, deep),
      );
    },
  },
  {
    name: 'a body that cannot be read',
    async run({ ask, namespace }) {
      const maps = pathsIn(namespace).core('configmaps');
      await ask('not JSON', post(maps, '{"apiVersion":'));
      await ask('empty', post(maps, ''));
      await ask('a list', post(maps, []));
      await ask('a wrong type', post(maps, { ...configMap('a'), data: { a: 1 } }));
      await ask('another kind', post(maps, { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' } }));
      await ask('another version', post(maps, { ...configMap('a'), apiVersion: 'v2' }));
      await ask('another namespace', post(maps, configMap('a', {}, { namespace: 'default' })));
      await ask('in YAML', {
        method: 'POST',
        path: `${maps}?dryRun=All`,
        body: 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: plain}\n',
        headers: { 'content-type': 'application/yaml' },
      });
      await ask('of an unknown type', {
        method: 'POST',
        path: maps,
        body: 'x',
        headers: { 'content-type': 'text/plain' },
      });
    },
  },
  {
    name: 'names, labels and annotations that are none',
    async run({ ask, namespace }) {
      const maps = `${pathsIn(namespace).core('configmaps')}?dryRun=All`;
      await ask('a name', post(maps, configMap('Bad_Name')));
      await ask('a long name', post(maps, configMap('a'.repeat(254))));
      await ask('a label', post(maps, configMap('a', {}, { labels: { 'a b': 'c d', ok: 'x'.repeat(64) } })));
      await ask('an annotation', post(maps, configMap('a', {}, { annotations: { 'a/b/c': '' } })));
      await ask('a key of data', post(maps, configMap('a', { 'a/b': 'c' })));
      await ask('a service', post(`${pathsIn(namespace).core('services')}?dryRun=All`, service('9lives')));
      await ask(
        'a namespace',
        post('/api/v1/namespaces?dryRun=All', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'a.b' } }),
      );
    },
  },
  {
    name: 'deployments that make no sense',
    async run({ ask, namespace }) {
      const path = `${pathsIn(namespace).apps('deployments')}?dryRun=All`;
      await ask(
        'empty',
        post(path, { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' }, spec: {} }),
      );
      await ask('labels that differ', post(path, deployment('web', { selector: { matchLabels: { app: 'other' } } })));
      await ask('negative replicas', post(path, deployment('web', { replicas: -1 })));
      await ask('words for replicas', post(path, deployment('web', { replicas: 'two' })));
      await ask(
        'no way to roll',
        post(path, deployment('web', { strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } } })),
      );
      await ask('no containers', post(path, deployment('web', {}, { containers: [] })));
      await ask(
        'two of a name',
        post(
          path,
          deployment(
            'web',
            {},
            {
              containers: [
                { name: 'a', image: 'a' },
                { name: 'a', image: 'a' },
              ],
            },
          ),
        ),
      );
      await ask('a restart policy', post(path, deployment('web', {}, { ...podSpec(), restartPolicy: 'Never' })));
    },
  },
  {
    name: 'pods that make no sense',
    async run({ ask, namespace }) {
      const path = `${pathsIn(namespace).core('pods')}?dryRun=All`;
      const of = (container: object, more: object = {}) =>
        post(path, pod('p', { ...podSpec(undefined, container), ...more }));
      await ask('a bad quantity', of({ resources: { limits: { memory: 'lots' } } }));
      await ask(
        'a request above the limit',
        of({ resources: { requests: { memory: '2Gi' }, limits: { memory: '1Gi' } } }),
      );
      await ask('a port', of({ ports: [{ containerPort: 70_000 }] }));
      await ask('a probe of two kinds', of({ readinessProbe: { httpGet: { port: 80 }, tcpSocket: { port: 80 } } }));
      await ask('a probe of none', of({ readinessProbe: {} }));
      await ask('a mount of no volume', of({ volumeMounts: [{ name: 'none', mountPath: '/x' }] }));
      await ask('a volume of nothing', of({}, { volumes: [{ name: 'v', configMap: {} }] }));
      await ask(
        'an environment',
        of({
          env: [
            { name: 'A=B', value: 'x' },
            { name: 'C', value: 'x', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
          ],
        }),
      );
      await ask('a policy', of({}, { restartPolicy: 'Maybe' }));
    },
  },
  {
    name: 'jobs, services and routes that make no sense',
    async run({ ask, namespace }) {
      const { batch, core, networking } = pathsIn(namespace);
      await ask(
        'a job that always restarts',
        post(`${batch('jobs')}?dryRun=All`, {
          ...job('once', 'true'),
          spec: { template: { spec: { ...podSpec('true'), restartPolicy: 'Always' } } },
        }),
      );
      await ask(
        'a schedule',
        post(`${batch('cronjobs')}?dryRun=All`, {
          apiVersion: 'batch/v1',
          kind: 'CronJob',
          metadata: { name: 'c' },
          spec: { schedule: 'at noon', jobTemplate: { spec: job('x', 'true').spec } },
        }),
      );
      await ask('a service without ports', post(`${core('services')}?dryRun=All`, service('web', { ports: [] })));
      await ask(
        'two ports without names',
        post(`${core('services')}?dryRun=All`, service('web', { ports: [{ port: 80 }, { port: 81 }] })),
      );
      await ask(
        'an ingress without rules',
        post(`${networking('ingresses')}?dryRun=All`, {
          apiVersion: 'networking.k8s.io/v1',
          kind: 'Ingress',
          metadata: { name: 'i' },
          spec: {},
        }),
      );
      await ask(
        'an ingress of a bad host',
        post(`${networking('ingresses')}?dryRun=All`, {
          apiVersion: 'networking.k8s.io/v1',
          kind: 'Ingress',
          metadata: { name: 'i' },
          spec: {
            rules: [
              {
                host: 'A_B',
                http: { paths: [{ path: 'x', pathType: 'Exact', backend: { service: { name: 'web', port: {} } } }] },
              },
            ],
          },
        }),
      );
      await ask(
        'a policy of a bad range',
        post(`${networking('networkpolicies')}?dryRun=All`, {
          apiVersion: 'networking.k8s.io/v1',
          kind: 'NetworkPolicy',
          metadata: { name: 'n' },
          spec: { podSelector: {}, egress: [{ to: [{ ipBlock: { cidr: '10.0.0.0/33' } }] }] },
        }),
      );
    },
  },
  {
    name: 'too much',
    async run({ ask, send, namespace }) {
      const maps = pathsIn(namespace).core('configmaps');
      await ask('a config map of more than a mebibyte', post(maps, configMap('a', { a: 'x'.repeat(1_050_000) })));
      await ask('annotations', post(maps, configMap('a', {}, { annotations: { a: 'x'.repeat(270_000) } })));
      await send(post(maps, configMap('b')));
      await ask(
        'a replace without a name',
        put(`${maps}/b`, { apiVersion: 'v1', kind: 'ConfigMap', metadata: {} }),
        ({ data }) => data ?? null,
      );
    },
  },
];
