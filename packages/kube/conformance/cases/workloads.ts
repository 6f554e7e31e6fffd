import type { Body, ConformanceCase } from '../conformance-case.ts';
import { get, merge, pathsIn, post } from '../requests.ts';
import { deployment, job, podSpec, service } from './objects.ts';

const nowhere = { ...podSpec(), nodeSelector: { no: 'where' } };

export const workloads: ConformanceCase[] = [
  {
    name: 'a deployment makes a replica set and pods',
    async run({ send, until, ask, namespace }) {
      const { apps, core } = pathsIn(namespace);
      await send(post(apps('deployments'), deployment('web', { replicas: 2 }, nowhere)));
      await until('a replica set', get(apps('replicasets')), {
        holds: ({ items }) => items.length === 1 && items[0].status.replicas === 2,
        show: ({ items }) =>
          items.map(({ metadata, spec, status }: Body) => ({
            labels: metadata.labels,
            annotations: metadata.annotations,
            owners: metadata.ownerReferences.map(({ uid: _uid, ...each }: Body) => each),
            replicas: spec.replicas,
            selector: spec.selector,
            status,
          })),
      });
      await until('pods', get(core('pods')), {
        holds: ({ items }) => items.length === 2,
        show: ({ items }) =>
          items.map(({ metadata }: Body) => ({
            generateName: metadata.generateName,
            labels: metadata.labels,
            owners: metadata.ownerReferences.map(({ uid: _uid, ...each }: Body) => each),
          })),
      });
      await until('its status', get(`${apps('deployments')}/web`), {
        holds: ({ status }) => status.unavailableReplicas === 2 && status.conditions?.length === 2,
        show: ({ status, metadata }) => ({ ...status, annotations: metadata.annotations }),
      });
      await ask('a pod that fits nowhere', get(core('pods')), ({ items }) =>
        items.map(({ status }: Body) => status.phase),
      );
    },
  },
  {
    name: 'a change of the template is a new replica set, another number is not',
    async run({ send, until, namespace }) {
      const { apps } = pathsIn(namespace);
      await send(post(apps('deployments'), deployment('web', { replicas: 0, revisionHistoryLimit: 1 })));
      const sets = ({ items }: Body) =>
        items
          .map(({ metadata, spec }: Body) => ({
            revision: metadata.annotations['deployment.kubernetes.io/revision'],
            replicas: spec.replicas,
          }))
          .sort((a: Body, b: Body) => a.revision - b.revision);
      await until('one', get(apps('replicasets')), { holds: ({ items }) => items.length === 1, show: sets });
      for (const at of ['1', '2', '3']) {
        await send(merge(`${apps('deployments')}/web`, { spec: { template: { metadata: { annotations: { at } } } } }));
        await until(`change ${at}`, get(apps('replicasets')), {
          holds: (body) => sets(body).at(-1).revision === String(Number(at) + 1),
          show: (body) => sets(body).at(-1),
        });
      }
      await until('only so many are kept', get(apps('replicasets')), {
        holds: ({ items }) => items.length === 2,
        show: sets,
      });
      await send(
        merge(`${apps('deployments')}/web`, { spec: { template: { metadata: { annotations: { at: '2' } } } } }),
      );
      await until('back to an earlier one', get(apps('replicasets')), {
        holds: (body) => sets(body).at(-1).revision === '5',
        show: sets,
      });
    },
  },
  {
    name: 'a paused deployment waits',
    async run({ send, until, ask, namespace }) {
      const { apps } = pathsIn(namespace);
      await send(post(apps('deployments'), deployment('web', { replicas: 0, paused: true })));
      await until('says so', get(`${apps('deployments')}/web`), {
        holds: ({ status }) => status.conditions?.length > 1,
        show: ({ status }) => [...status.conditions].sort((a: Body, b: Body) => (a.type < b.type ? -1 : 1)),
      });
      await ask('no replica set', get(apps('replicasets')), ({ items }) => items.length);
    },
  },
  {
    name: 'a suspended job waits, a schedule makes none before its time',
    async run({ send, until, ask, namespace }) {
      const { batch, core } = pathsIn(namespace);
      await send(post(batch('jobs'), job('once', 'true', { suspend: true })));
      await until('suspended', get(`${batch('jobs')}/once`), {
        holds: ({ status }) => status.conditions?.length > 0,
        show: ({ status }) => status.conditions,
      });
      await ask('no pod', get(core('pods')), ({ items }) => items.length);
      await send(
        post(batch('cronjobs'), {
          apiVersion: 'batch/v1',
          kind: 'CronJob',
          metadata: { name: 'yearly' },
          spec: { schedule: '0 0 1 1 *', jobTemplate: { spec: job('x', 'true').spec } },
        }),
      );
      await ask('no job of it', get(batch('jobs')), ({ items }) => items.map(({ metadata }: Body) => metadata.name));
    },
  },
  {
    name: 'a controller revision is kept as it is',
    async run({ ask, namespace }) {
      const path = pathsIn(namespace).apps('controllerrevisions');
      const revision = {
        apiVersion: 'apps/v1',
        kind: 'ControllerRevision',
        metadata: { name: 'v1' },
        revision: 1,
        data: { spec: { any: ['thing', 1, null] } },
      };
      await ask('made', post(path, revision));
      await ask('its data changed', merge(`${path}/v1`, { data: { spec: 'other' } }));
      await ask('its number changed', merge(`${path}/v1`, { revision: 2 }), ({ revision: number, data }) => ({
        number,
        data,
      }));
    },
  },
  {
    name: 'a service without pods has a slice without endpoints',
    async run({ send, until, ask, namespace }) {
      const { core, discovery } = pathsIn(namespace);
      await ask('an address is given', post(core('services'), service('web')), ({ spec }) => ({
        ...spec,
        clusterIP: typeof spec.clusterIP,
        clusterIPs: spec.clusterIPs.length,
      }));
      await until('a slice', get(`${discovery('endpointslices')}?labelSelector=kubernetes.io/service-name%3Dweb`), {
        holds: ({ items }) => items.length === 1,
        show: ({ items }) =>
          items.map(({ metadata, addressType, endpoints, ports }: Body) => ({
            generateName: metadata.generateName,
            labels: metadata.labels,
            addressType,
            endpoints,
            ports,
          })),
      });
      await ask('headless', post(core('services'), service('none', { clusterIP: 'None' })), ({ spec }) => ({
        clusterIP: spec.clusterIP,
        clusterIPs: spec.clusterIPs,
      }));
      await ask(
        'outside the range',
        post(core('services'), service('far', { clusterIP: '192.0.2.1' })),
        ({ spec }) => spec.clusterIP,
      );
      await send(merge(`${core('services')}/web`, { spec: { ports: [{ name: 'http', port: 81, targetPort: 8080 }] } }));
      await ask('another port', get(`${core('services')}/web`), ({ spec }) => spec.ports);
    },
  },
];
