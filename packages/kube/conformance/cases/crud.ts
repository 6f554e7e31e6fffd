import type { ConformanceCase } from '../conformance-case.ts';
import { get, merge, pathsIn, post, put, remove } from '../requests.ts';
import { configMap, deployment, podSpec, service } from './objects.ts';

export const crud: ConformanceCase[] = [
  {
    name: 'what every namespace has',
    async run({ ask, namespace }) {
      await ask('itself', get(`/api/v1/namespaces/${namespace}`));
      await ask('an account', get(`${pathsIn(namespace).core('serviceaccounts')}/default`));
      await ask(
        'the authority of the cluster',
        get(`${pathsIn(namespace).core('configmaps')}/kube-root-ca.crt`),
        ({ metadata, data }) => ({
          annotations: metadata.annotations,
          keys: Object.keys(data),
        }),
      );
    },
  },
  {
    name: 'an object is made, read, replaced and deleted',
    async run({ ask, namespace }) {
      const maps = pathsIn(namespace).core('configmaps');
      const { body } = await ask('create', post(maps, configMap('a')));
      await ask('create again', post(maps, configMap('a')));
      await ask('read', get(`${maps}/a`));
      await ask('replace', put(`${maps}/a`, { ...body, data: { key: 'other' } }));
      await ask('replace what has changed since', put(`${maps}/a`, { ...body, data: { key: 'late' } }));
      await ask('delete', remove(`${maps}/a`));
      await ask('delete again', remove(`${maps}/a`));
      await ask('read', get(`${maps}/a`));
      await ask('replace', put(`${maps}/a`, configMap('a')));
    },
  },
  {
    name: 'a name is made by the server',
    async run({ ask, namespace }) {
      const maps = pathsIn(namespace).core('configmaps');
      const nameless = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'made-' } };
      await ask('create', post(maps, nameless), ({ metadata }) => ({
        ...metadata,
        name: /^made-[a-z0-9]{5}$/.test(metadata.name),
      }));
      await ask('create without either', post(maps, { ...nameless, metadata: {} }));
    },
  },
  {
    name: 'a delete is of the very object',
    async run({ ask, send, namespace }) {
      const maps = pathsIn(namespace).core('configmaps');
      const { body } = await send(post(maps, configMap('a')));
      await ask('another uid', remove(`${maps}/a`, { preconditions: { uid: 'another' } }), undefined);
      await ask('another version', remove(`${maps}/a`, { preconditions: { resourceVersion: '1' } }), undefined);
      const { uid, resourceVersion } = body.metadata;
      await ask('its own', remove(`${maps}/a`, { preconditions: { uid, resourceVersion } }));
    },
  },
  {
    name: 'many are deleted at once',
    async run({ ask, send, namespace }) {
      const maps = pathsIn(namespace).core('configmaps');
      for (const [name, app] of [
        ['a', 'x'],
        ['b', 'x'],
        ['c', 'y'],
      ] as const) {
        await send(post(maps, configMap(name, {}, { labels: { app } })));
      }
      await ask('by label', { method: 'DELETE', path: `${maps}?labelSelector=app%3Dx` }, ({ kind, items }) => ({
        kind,
        names: items.map(({ metadata }: { metadata: { name: string } }) => metadata.name),
      }));
      await ask('what is left', get(`${maps}?labelSelector=app`), ({ items }) => items.length);
    },
  },
  {
    name: 'defaults are filled in',
    async run({ ask, namespace }) {
      const { core, apps, batch, networking } = pathsIn(namespace);
      const stopped = deployment('web', { replicas: 0 });
      await ask('a deployment', post(apps('deployments'), stopped), ({ spec, metadata }) => ({ spec, metadata }));
      await ask('a service', post(core('services'), service('web')));
      await ask(
        'a job',
        post(`${batch('jobs')}?dryRun=All`, {
          apiVersion: 'batch/v1',
          kind: 'Job',
          metadata: { name: 'once' },
          spec: { template: { spec: { restartPolicy: 'Never', ...podSpec('true') } } },
        }),
        ({ spec }) => spec,
      );
      await ask(
        'a cron job',
        post(`${batch('cronjobs')}?dryRun=All`, {
          apiVersion: 'batch/v1',
          kind: 'CronJob',
          metadata: { name: 'nightly' },
          spec: {
            schedule: '0 3 * * *',
            jobTemplate: { spec: { template: { spec: { restartPolicy: 'Never', ...podSpec('true') } } } },
          },
        }),
        ({ spec }) => spec,
      );
      await ask(
        'an ingress',
        post(`${networking('ingresses')}?dryRun=All`, {
          apiVersion: 'networking.k8s.io/v1',
          kind: 'Ingress',
          metadata: { name: 'web' },
          spec: {
            ingressClassName: 'some',
            rules: [
              {
                host: 'a.example.com',
                http: {
                  paths: [
                    { path: '/', pathType: 'Prefix', backend: { service: { name: 'web', port: { name: 'http' } } } },
                  ],
                },
              },
            ],
          },
        }),
      );
      await ask(
        'a network policy',
        post(`${networking('networkpolicies')}?dryRun=All`, {
          apiVersion: 'networking.k8s.io/v1',
          kind: 'NetworkPolicy',
          metadata: { name: 'web' },
          spec: { podSelector: {}, ingress: [{ ports: [{ port: 80 }] }] },
        }),
      );
      await ask(
        'a secret',
        post(core('secrets'), {
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { name: 's' },
          stringData: { a: '$(x) $$y', b: 'é\n' },
        }),
      );
    },
  },
  {
    name: 'what must not change does not',
    async run({ ask, send, namespace }) {
      const { apps, core, batch } = pathsIn(namespace);
      await send(post(apps('deployments'), deployment('web', { replicas: 0 })));
      const selector = { matchLabels: { app: 'web', more: 'x' } };
      const labels = { more: 'x' };
      await ask(
        'a selector',
        merge(`${apps('deployments')}/web`, { spec: { selector, template: { metadata: { labels } } } }),
      );
      await send(post(core('services'), service('web')));
      await ask('an address', merge(`${core('services')}/web`, { spec: { clusterIP: '10.0.0.1' } }));
      await send(post(core('secrets'), { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, immutable: true }));
      await ask('a secret', merge(`${core('secrets')}/s`, { stringData: { a: 'b' } }));
      await send(
        post(batch('jobs'), {
          apiVersion: 'batch/v1',
          kind: 'Job',
          metadata: { name: 'once' },
          spec: { suspend: true, template: { spec: { restartPolicy: 'Never', ...podSpec('true') } } },
        }),
      );
      await ask('a job', merge(`${batch('jobs')}/once`, { spec: { completions: 3 } }));
      await ask('a name', merge(`${core('services')}/web`, { metadata: { name: 'other' } }));
    },
  },
  {
    name: 'a namespace that is not there or is going',
    async run({ ask, send, namespace, afterwards }) {
      await ask('not there', post(pathsIn('conf-nowhere').core('configmaps'), configMap('a')));
      const going = `${namespace}-g`;
      const finalizers = ['example.dev/hold'];
      await send(post('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: going } }));
      const held = configMap('held', {}, { finalizers });
      await send(post(pathsIn(going).core('configmaps'), held));
      afterwards(() => send(merge(`${pathsIn(going).core('configmaps')}/held`, { metadata: { finalizers: null } })));
      await send(remove(`/api/v1/namespaces/${going}`));
      await ask('going', post(pathsIn(going).core('configmaps'), configMap('a')));
      await ask('says so', get(`/api/v1/namespaces/${going}`), ({ status }) => status.phase);
    },
  },
];
