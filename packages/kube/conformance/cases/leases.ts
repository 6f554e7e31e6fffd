import type { ConformanceCase } from '../conformance-case.ts';
import { get, pathsIn, post, put } from '../requests.ts';

const lease = (holderIdentity: string, more: object = {}) => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name: 'leader', ...more },
  spec: {
    holderIdentity,
    leaseDurationSeconds: 15,
    acquireTime: '2026-01-01T00:00:00.000000Z',
    renewTime: '2026-01-01T00:00:00.123456Z',
    leaseTransitions: 1,
  },
});

export const leases: ConformanceCase[] = [
  {
    name: 'one of two takes it',
    async run({ ask, namespace }) {
      const path = pathsIn(namespace).leases('leases');
      const { body } = await ask('made', post(path, lease('one')), ({ spec }) => ({
        ...spec,
        renewTime: spec.renewTime.length,
      }));
      await ask('made twice', post(path, lease('two')));
      const { resourceVersion } = body.metadata;
      await ask('renewed', put(`${path}/leader`, lease('one', { resourceVersion })), ({ spec }) => spec.holderIdentity);
      await ask('taken with an old version', put(`${path}/leader`, lease('two', { resourceVersion })));
      await ask('without a version', put(`${path}/leader`, lease('two')));
      await ask('whose it is', get(`${path}/leader`), ({ spec }) => spec.holderIdentity);
      await ask('with a time that is none', put(`${path}/leader`, { ...lease('one'), spec: { renewTime: 'now' } }));
      await ask(
        'of no length',
        post(`${path}?dryRun=All`, { ...lease('one'), metadata: { name: 'other' }, spec: { leaseDurationSeconds: 0 } }),
      );
    },
  },
];
