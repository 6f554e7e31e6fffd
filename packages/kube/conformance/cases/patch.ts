import type { ConformanceCase } from '../conformance-case.ts';
import { jsonPatch, merge, pathsIn, post, strategic } from '../requests.ts';
import { configMap, deployment } from './objects.ts';

export const patch: ConformanceCase[] = [
  {
    name: 'a merge patch',
    async run({ ask, send, namespace }) {
      const maps = pathsIn(namespace).core('configmaps');
      await send(post(maps, configMap('a', { a: '1', b: '2' })));
      await ask('changes, adds and removes', merge(`${maps}/a`, { data: { a: '2', b: null, c: '3' } }));
      await ask(
        'with the version that is there no more',
        merge(`${maps}/a`, { metadata: { resourceVersion: '1' }, data: { a: '9' } }),
      );
      await ask('with another uid', merge(`${maps}/a`, { metadata: { uid: 'another' } }));
      await ask('that is no object', merge(`${maps}/a`, [1]));
      await ask('that is no JSON', merge(`${maps}/a`, '{'));
      await ask('of what is not there', merge(`${maps}/none`, {}));
      await ask('that changes nothing', merge(`${maps}/a`, { data: { c: '3' } }));
    },
  },
  {
    name: 'a JSON patch',
    async run({ ask, send, namespace }) {
      const maps = pathsIn(namespace).core('configmaps');
      await send(post(maps, configMap('a', { a: '1', b: '2' })));
      await ask(
        'all operations',
        jsonPatch(`${maps}/a`, [
          { op: 'test', path: '/data/a', value: '1' },
          { op: 'add', path: '/data/c', value: '3' },
          { op: 'replace', path: '/data/a', value: '2' },
          { op: 'copy', from: '/data/a', path: '/data/d' },
          { op: 'move', from: '/data/b', path: '/data/e' },
          { op: 'remove', path: '/data/c' },
        ]),
      );
      await ask('a test that fails', jsonPatch(`${maps}/a`, [{ op: 'test', path: '/data/a', value: 'x' }]));
      await ask(
        'a path that is not there',
        jsonPatch(`${maps}/a`, [{ op: 'replace', path: '/data/none/below', value: 'x' }]),
      );
      await ask('an operation that is none', jsonPatch(`${maps}/a`, [{ op: 'turn', path: '/data/a' }]));
      await ask(
        'half of it',
        jsonPatch(`${maps}/a`, [
          { op: 'add', path: '/data/z', value: '1' },
          { op: 'remove', path: '/data/none' },
        ]),
      );
    },
  },
  {
    name: 'a strategic merge patch',
    async run({ ask, send, namespace }) {
      const web = `${pathsIn(namespace).apps('deployments')}/web`;
      await send(post(pathsIn(namespace).apps('deployments'), deployment('web', { replicas: 0 })));
      const containers = (list: object[]) => strategic(web, { spec: { template: { spec: { containers: list } } } });
      const shown = ({ spec }: { spec: { template: { spec: object } } }) => spec.template.spec;
      await ask(
        'merges by name',
        containers([
          { name: 'main', env: [{ name: 'A', value: '1' }] },
          { name: 'side', image: 'side:1' },
        ]),
        shown,
      );
      await ask('removes by name', containers([{ name: 'side', $patch: 'delete' }]), shown);
      await ask('replaces', containers([{ name: 'only', image: 'only:1' }, { $patch: 'replace' } as object]), shown);
      await ask(
        'an order',
        strategic(web, {
          spec: {
            template: {
              spec: {
                '$setElementOrder/containers': [{ name: 'only' }],
                containers: [{ name: 'only', image: 'only:2' }],
              },
            },
          },
        }),
        shown,
      );
      await ask('of an unknown type', { ...containers([]), headers: { 'content-type': 'application/other+json' } });
    },
  },
];
