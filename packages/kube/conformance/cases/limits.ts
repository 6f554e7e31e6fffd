import type { Body, ConformanceCase } from '../conformance-case.ts';
import { get, pathsIn, post, remove } from '../requests.ts';
import { deployment, pod, podSpec } from './objects.ts';

const quota = (hard: object) => ({
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata: { name: 'plan' },
  spec: { hard },
});
/** The quota controller counts anew every few seconds at the least. */
const COUNTED_MS = 15_000;
const secret = (name: string) => ({ apiVersion: 'v1', kind: 'Secret', metadata: { name } });
const nowhere = (container: object) => ({ ...podSpec(undefined, container), nodeSelector: { no: 'where' } });

export const limits: ConformanceCase[] = [
  {
    name: 'a quota refuses what is too much',
    async run({ ask, send, until, namespace }) {
      const { core } = pathsIn(namespace);
      await send(post(core('resourcequotas'), quota({ 'count/secrets': '2', 'requests.memory': '128Mi', pods: '3' })));
      await until('is counted', get(`${core('resourcequotas')}/plan`), {
        holds: ({ status }) => status.used['count/secrets'] === '0',
        withinMs: COUNTED_MS,
        show: ({ status }) => status,
      });
      await send(post(core('secrets'), secret('a')));
      await ask('one more', post(core('secrets'), secret('b')), ({ metadata }) => metadata.name);
      await ask('one too many', post(core('secrets'), secret('c')));
      await ask('a pod without a request', post(core('pods'), pod('p', nowhere({}))));
      await ask(
        'a pod of too much',
        post(core('pods'), pod('p', nowhere({ resources: { requests: { memory: '256Mi' } } }))),
      );
      await ask(
        'a pod that fits',
        post(core('pods'), pod('p', nowhere({ resources: { requests: { memory: '100Mi' } } }))),
        ({ metadata }) => metadata.name,
      );
      await ask(
        'another that does not',
        post(core('pods'), pod('q', nowhere({ resources: { requests: { memory: '100Mi' } } }))),
      );
      await until('what is used', get(`${core('resourcequotas')}/plan`), {
        holds: ({ status }) => status.used['requests.memory'] === '100Mi',
        withinMs: COUNTED_MS,
        show: ({ status }) => status,
      });
      await send(remove(`${core('secrets')}/a`));
      await until('is free again', get(`${core('resourcequotas')}/plan`), {
        holds: ({ status }) => status.used['count/secrets'] === '1',
        withinMs: COUNTED_MS,
        show: ({ status }) => status.used,
      });
    },
  },
  {
    name: 'a quota tells on the replica set',
    async run({ send, until, namespace }) {
      const { core, apps } = pathsIn(namespace);
      await send(post(core('resourcequotas'), quota({ pods: '0' })));
      await until('is counted', get(`${core('resourcequotas')}/plan`), {
        holds: ({ status }) => status.used.pods === '0',
        withinMs: COUNTED_MS,
        show: ({ status }) => status,
      });
      await send(post(apps('deployments'), deployment('web')));
      const failure = ({ status }: Body) => status.conditions?.find(({ type }: Body) => type === 'ReplicaFailure');
      await until('on the replica set', get(apps('replicasets')), {
        holds: ({ items }) => failure(items[0]) !== undefined,
        show: ({ items }) => failure(items[0]),
      });
      await until('on the deployment', get(`${apps('deployments')}/web`), {
        holds: (body) => failure(body) !== undefined,
        show: failure,
      });
      await until('as an event', get(`${core('events')}?fieldSelector=reason%3DFailedCreate`), {
        holds: ({ items }) => items.length > 0,
        show: ({ items }) => ({ type: items[0].type, kind: items[0].involvedObject.kind, message: items[0].message }),
      });
    },
  },
  {
    name: 'a limit range fills in and refuses',
    async run({ ask, send, namespace }) {
      const { core } = pathsIn(namespace);
      await send(
        post(core('limitranges'), {
          apiVersion: 'v1',
          kind: 'LimitRange',
          metadata: { name: 'plan' },
          spec: {
            limits: [
              {
                type: 'Container',
                default: { memory: '256Mi' },
                defaultRequest: { cpu: '50m', memory: '64Mi' },
                max: { memory: '1Gi' },
                min: { memory: '16Mi' },
              },
              { type: 'PersistentVolumeClaim', max: { storage: '2Gi' }, min: { storage: '1Mi' } },
            ],
          },
        }),
      );
      const resources = ({ spec, metadata }: Body) => ({
        resources: spec.containers[0].resources,
        annotations: metadata.annotations,
      });
      await ask('nothing said', post(`${core('pods')}?dryRun=All`, pod('p', podSpec())), resources);
      await ask(
        'a limit said',
        post(
          `${core('pods')}?dryRun=All`,
          pod('p', podSpec(undefined, { resources: { limits: { memory: '128Mi' } } })),
        ),
        resources,
      );
      await ask(
        'too much',
        post(`${core('pods')}?dryRun=All`, pod('p', podSpec(undefined, { resources: { limits: { memory: '2Gi' } } }))),
      );
      await ask(
        'too little',
        post(
          `${core('pods')}?dryRun=All`,
          pod('p', podSpec(undefined, { resources: { requests: { memory: '1Mi' } } })),
        ),
      );
      await ask(
        'a large claim',
        post(`${core('persistentvolumeclaims')}?dryRun=All`, {
          apiVersion: 'v1',
          kind: 'PersistentVolumeClaim',
          metadata: { name: 'data' },
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '3Gi' } } },
        }),
      );
    },
  },
];
