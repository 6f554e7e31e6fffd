import type { ConformanceCase } from '../conformance-case.ts';
import { apply, get, merge, pathsIn, post, put } from '../requests.ts';
import { deployment, job, pod } from './objects.ts';

export const status: ConformanceCase[] = [
  {
    name: 'spec and status are written apart',
    async run({ ask, send, namespace }) {
      const { core } = pathsIn(namespace);
      const { body } = await send(
        post(core('persistentvolumeclaims'), {
          apiVersion: 'v1',
          kind: 'PersistentVolumeClaim',
          metadata: { name: 'data' },
          spec: {
            storageClassName: 'none',
            accessModes: ['ReadWriteOnce'],
            resources: { requests: { storage: '1Gi' } },
          },
          status: { phase: 'Bound' },
        }),
      );
      const path = `${core('persistentvolumeclaims')}/data`;
      await ask('as made', get(path), (claim) => ({ spec: claim.spec, status: claim.status }));
      await ask(
        'by the status alone',
        merge(`${path}/status`, { spec: { volumeName: 'x' }, status: { phase: 'Lost' } }),
        (claim) => ({ spec: claim.spec, status: claim.status }),
      );
      await ask(
        'by the whole',
        put(path, { ...body, metadata: { name: 'data', namespace }, status: { phase: 'Bound' } }),
        (claim) => claim.status,
      );
    },
  },
  {
    name: 'a scale',
    async run({ ask, send, namespace }) {
      const web = `${pathsIn(namespace).apps('deployments')}/web`;
      await send(post(pathsIn(namespace).apps('deployments'), deployment('web', { replicas: 0 })));
      await ask('read', get(`${web}/scale`));
      await ask('patched', merge(`${web}/scale`, { spec: { replicas: 0 } }));
      await ask('below zero', merge(`${web}/scale`, { spec: { replicas: -1 } }));
    },
  },
  {
    name: 'a status by apply',
    async run({ ask, send, namespace }) {
      const path = `${pathsIn(namespace).core('pods')}/p`;
      await send(post(pathsIn(namespace).core('pods'), pod('p', { ...pod('p').spec, nodeSelector: { no: 'where' } })));
      const conditions = [
        { type: 'example.dev/seen', status: 'True', lastProbeTime: null, lastTransitionTime: '2026-01-01T00:00:00Z' },
      ];
      const of = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' } };
      await ask('a condition', apply(`${path}/status`, 'first', { ...of, status: { conditions } }), (body) =>
        body.status.conditions.filter(({ type }: { type: string }) => type === 'example.dev/seen'),
      );
    },
  },
  {
    name: 'a status of what has none',
    async run({ ask, namespace }) {
      await ask('a secret', get(`${pathsIn(namespace).core('secrets')}/s/status`));
      await ask(
        'a job that is not there',
        get(`${pathsIn(namespace).batch('jobs')}/${job('x', 'true').metadata.name}/status`),
      );
    },
  },
];
