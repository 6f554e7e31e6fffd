import type { Body, ConformanceCase } from '../conformance-case.ts';
import { apply as applyOf, forced, get, merge, pathsIn, post } from '../requests.ts';
import { configMap, deployment, podSpec } from './objects.ts';

/** Whose what is, without who wrote it when; entries of one second have no order. */
const owners = ({ metadata }: Body) =>
  metadata.managedFields
    ?.map(({ manager, operation, subresource, fieldsV1 }: Body) => ({ manager, operation, subresource, fieldsV1 }))
    .sort((a: Body, b: Body) => (a.manager + a.operation < b.manager + b.operation ? -1 : 1));
const spoken = (body: Body) => ({
  spec: body.spec,
  data: body.data,
  labels: body.metadata.labels,
  owners: owners(body),
});

export const apply: ConformanceCase[] = [
  {
    name: 'two managers share an object',
    async run({ ask, namespace }) {
      const maps = pathsIn(namespace).core('configmaps');
      await ask('the first makes it', applyOf(`${maps}/a`, 'first', configMap('a', { a: '1', b: '1' })), spoken);
      await ask('the second adds', applyOf(`${maps}/a`, 'second', configMap('a', { c: '1' })), spoken);
      await ask('the second contradicts', applyOf(`${maps}/a`, 'second', configMap('a', { a: '2' })));
      await ask('the second insists', forced(`${maps}/a`, 'second', configMap('a', { a: '2' })), spoken);
      await ask('both agree', applyOf(`${maps}/a`, 'first', configMap('a', { a: '2', b: '1' })), spoken);
      await ask('the first lets go of one', applyOf(`${maps}/a`, 'first', configMap('a', { a: '2' })), spoken);
      await ask('and of all', applyOf(`${maps}/a`, 'first', { ...configMap('a'), data: undefined }), spoken);
      await ask('the same again', applyOf(`${maps}/a`, 'first', { ...configMap('a'), data: undefined }), spoken);
    },
  },
  {
    name: 'an apply asks for nothing to be there',
    async run({ ask, send, namespace }) {
      const maps = pathsIn(namespace).core('configmaps');
      const anew = configMap('a', { a: '1' }, { resourceVersion: '1' });
      await ask('nothing is', applyOf(`${maps}/a`, 'first', anew), spoken);
      await ask('something is', forced(`${maps}/a`, 'first', anew));
      const { body } = await send(get(`${maps}/a`));
      const { uid, resourceVersion } = body.metadata;
      await ask(
        'as it was seen',
        applyOf(`${maps}/a`, 'first', configMap('a', { a: '2' }, { uid, resourceVersion })),
        spoken,
      );
      await ask('as it was', applyOf(`${maps}/a`, 'first', configMap('a', { a: '3' }, { uid, resourceVersion })));
      await ask('another uid', forced(`${maps}/a`, 'first', configMap('a', { a: '3' }, { uid: 'another' })));
      await ask('a uid of nothing', forced(`${maps}/b`, 'first', configMap('b', {}, { uid: 'another' })));
    },
  },
  {
    name: 'an apply that is not one',
    async run({ ask, namespace }) {
      const maps = pathsIn(namespace).core('configmaps');
      const { path, ...unnamed } = applyOf(`${maps}/a`, 'first', configMap('a'));
      await ask('without a manager', { ...unnamed, path: path.split('?')[0] ?? '' });
      await ask(
        'with managed fields',
        applyOf(`${maps}/a`, 'first', configMap('a', {}, { managedFields: [{ manager: 'x' }] })),
      );
      await ask('of another name', applyOf(`${maps}/a`, 'first', configMap('b')));
      await ask('of another kind', applyOf(`${maps}/a`, 'first', { ...configMap('a'), kind: 'Secret' }));
      await ask('without a kind', applyOf(`${maps}/a`, 'first', { ...configMap('a'), kind: undefined }));
      await ask('with an unknown field', applyOf(`${maps}/a`, 'first', { ...configMap('a'), datum: {} }));
      await ask(
        'in YAML',
        applyOf(`${maps}/plain`, 'first', 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: plain}\ndata: {a: "1"}\n'),
        spoken,
      );
    },
  },
  {
    name: 'lists are merged by what tells their items apart',
    async run({ ask, namespace }) {
      const path = `${pathsIn(namespace).apps('deployments')}/web`;
      const withContainer = (container: object, volumes?: object[]) =>
        deployment('web', { replicas: 0 }, { ...podSpec(undefined, container), ...(volumes && { volumes }) });
      await ask(
        'made',
        applyOf(path, 'first', withContainer({ env: [{ name: 'A', value: '1' }], ports: [{ containerPort: 80 }] })),
        ({ spec }) => spec,
      );
      const beside = {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'web' },
        spec: { template: { spec: { containers: [{ name: 'main', env: [{ name: 'B', value: '2' }] }] } } },
      };
      await ask(
        'another adds a variable',
        applyOf(path, 'second', beside),
        ({ spec }) => spec.template.spec.containers,
      );
      await ask(
        'the first takes its own away',
        applyOf(path, 'first', withContainer({})),
        ({ spec }) => spec.template.spec.containers,
      );
      await ask(
        'an empty list of volumes',
        applyOf(path, 'first', withContainer({}, [])),
        ({ spec }) => spec.template.spec,
      );
      await ask('and again', applyOf(path, 'first', withContainer({}, [])), ({ spec }) => spec.template.spec);
      await ask(
        'null is nothing',
        applyOf(path, 'first', { ...withContainer({}), spec: { ...deployment('web').spec, replicas: null } }),
        ({ spec }) => spec.replicas,
      );
    },
  },
  {
    name: 'an empty list of a new object',
    async run({ ask, namespace }) {
      const path = `${pathsIn(namespace).apps('deployments')}/web`;
      const empty = { ...podSpec(undefined, { env: [], ports: [] }), volumes: [] };
      await ask('applied', applyOf(path, 'first', deployment('web', { replicas: 0 }, empty)), (body) => ({
        spec: body.spec,
        owners: owners(body),
      }));
      await ask('read', get(path), (body) => body.spec.template.spec);
    },
  },
  {
    name: 'what a plain write takes over',
    async run({ ask, send, namespace }) {
      const maps = pathsIn(namespace).core('configmaps');
      await send(applyOf(`${maps}/a`, 'first', configMap('a', { a: '1', b: '1' })));
      await ask('a patch', { ...merge(`${maps}/a?fieldManager=hand`, { data: { a: '2' } }) }, owners);
      await ask('the first contradicts', applyOf(`${maps}/a`, 'first', configMap('a', { a: '1', b: '1' })));
      await ask('the first insists', forced(`${maps}/a`, 'first', configMap('a', { a: '1', b: '1' })), owners);
      await ask('a create', post(`${maps}?fieldManager=hand`, configMap('b')), owners);
      await ask('applied by the same name', applyOf(`${maps}/b`, 'hand', configMap('b')), owners);
    },
  },
];
