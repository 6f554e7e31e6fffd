import type { Body, ConformanceCase } from '../conformance-case.ts';
import { get, merge, pathsIn, post, remove } from '../requests.ts';
import { configMap, deployment, job } from './objects.ts';

const going = ({ kind, metadata, status }: Body) => ({
  kind,
  name: metadata?.name,
  finalizers: metadata?.finalizers,
  isGoing: metadata?.deletionTimestamp !== undefined,
  grace: metadata?.deletionGracePeriodSeconds,
  ...(kind === 'Status' && { status }),
});
const isGone = ({ code }: Body) => code === 404;
const gone = ({ reason }: Body) => reason;

export const deletion: ConformanceCase[] = [
  {
    name: 'a finalizer holds an object',
    async run({ ask, send, namespace }) {
      const path = `${pathsIn(namespace).core('configmaps')}/a`;
      await send(post(pathsIn(namespace).core('configmaps'), configMap('a', {}, { finalizers: ['example.dev/hold'] })));
      await ask('deleted', remove(path), going);
      await ask('deleted again', remove(path), going);
      await ask('changed meanwhile', merge(path, { data: { late: 'yes' } }), going);
      await ask(
        'held by one more',
        merge(path, { metadata: { finalizers: ['example.dev/hold', 'example.dev/more'] } }),
      );
      await ask('brought back', merge(path, { metadata: { deletionTimestamp: null } }), going);
      await ask('let go', merge(path, { metadata: { finalizers: [] } }), going);
      await ask('is gone', get(path));
      await ask(
        'a finalizer without a domain',
        post(pathsIn(namespace).core('configmaps'), configMap('b', {}, { finalizers: ['hold'] })),
      );
    },
  },
  {
    name: 'owned objects go with their owner',
    async run({ ask, send, until, namespace }) {
      const maps = pathsIn(namespace).core('configmaps');
      const { body } = await send(post(maps, configMap('owner')));
      const { name, uid } = body.metadata;
      const reference = { apiVersion: 'v1', kind: 'ConfigMap', name, uid, blockOwnerDeletion: true, controller: true };
      await send(post(maps, configMap('owned', {}, { ownerReferences: [reference] })));
      await send(
        post(
          maps,
          configMap('lost', {}, { ownerReferences: [{ ...reference, uid: '00000000-0000-0000-0000-000000000000' }] }),
        ),
      );
      await until('of nobody', get(`${maps}/lost`), { holds: isGone, show: gone });
      await ask('the owner, in the background', remove(`${maps}/owner`, { propagationPolicy: 'Background' }), going);
      await until('the owned', get(`${maps}/owned`), { holds: isGone, show: gone });
    },
  },
  {
    name: 'the owner goes last in the foreground',
    async run({ ask, send, until, namespace }) {
      const maps = pathsIn(namespace).core('configmaps');
      const { body } = await send(post(maps, configMap('owner')));
      const { name, uid } = body.metadata;
      const reference = { apiVersion: 'v1', kind: 'ConfigMap', name, uid, blockOwnerDeletion: true };
      await send(
        post(maps, configMap('owned', {}, { ownerReferences: [reference], finalizers: ['example.dev/hold'] })),
      );
      await ask('the owner', remove(`${maps}/owner`, { propagationPolicy: 'Foreground' }), going);
      await until('the owned is going', get(`${maps}/owned`), {
        holds: ({ metadata }) => metadata.deletionTimestamp,
        show: ({ metadata }) => metadata.deletionTimestamp !== undefined,
      });
      await ask('the owner waits', get(`${maps}/owner`), going);
      await send(merge(`${maps}/owned`, { metadata: { finalizers: null } }));
      await until('the owner goes', get(`${maps}/owner`), { holds: isGone, show: gone });
    },
  },
  {
    name: 'orphans stay',
    async run({ ask, send, until, namespace }) {
      const maps = pathsIn(namespace).core('configmaps');
      const { body } = await send(post(maps, configMap('owner')));
      const { name, uid } = body.metadata;
      await send(
        post(maps, configMap('owned', {}, { ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name, uid }] })),
      );
      await ask('the owner', remove(`${maps}/owner`, { propagationPolicy: 'Orphan' }), going);
      await until('the owner goes', get(`${maps}/owner`), { holds: isGone, show: gone });
      await ask('the owned', get(`${maps}/owned`), ({ metadata }) => metadata.ownerReferences);
    },
  },
  {
    name: 'a deployment takes its replica sets along, a job by default does not',
    async run({ ask, send, until, namespace }) {
      const { apps, batch } = pathsIn(namespace);
      await send(post(apps('deployments'), deployment('web', { replicas: 0 })));
      await until('its replica set', get(apps('replicasets')), {
        holds: ({ items }) => items.length === 1,
        show: ({ items }) => items.length,
      });
      await ask('delete', remove(`${apps('deployments')}/web`), going);
      await until('no replica set', get(apps('replicasets')), {
        holds: ({ items }) => items.length === 0,
        show: ({ items }) => items.length,
      });
      await send(post(batch('jobs'), job('once', 'true', { suspend: true })));
      await ask('a job', remove(`${batch('jobs')}/once`), going);
      await ask('with an unknown way', remove(`${batch('jobs')}/once`, { propagationPolicy: 'Sideways' }));
    },
  },
  {
    name: 'a namespace goes with all that is in it',
    async run({ send, until, ask, namespace }) {
      const name = `${namespace}-g`;
      await send(post('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }));
      await send(post(pathsIn(name).core('configmaps'), configMap('a')));
      await ask('delete', remove(`/api/v1/namespaces/${name}`), ({ status, spec }) => ({ status, spec }));
      await until('is gone', get(`/api/v1/namespaces/${name}`), { holds: isGone });
      await ask('its objects', get(`${pathsIn(name).core('configmaps')}/a`));
    },
  },
];
