import type { Body, ConformanceCase, Scene } from '../conformance-case.ts';
import { apply, get, merge, pathsIn, post, remove, strategic, table } from '../requests.ts';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

const specSchema = {
  type: 'object',
  required: ['image'],
  'x-kubernetes-validations': [
    { rule: 'self.replicas <= 5', message: 'at most five replicas' },
    { rule: 'self.image == oldSelf.image', message: 'the image stays' },
    {
      rule: "!has(self.mode) || self.mode != 'slow' || self.replicas == 1",
      messageExpression: "'slow is for ' + 'one'",
    },
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
};

const definition = (group: string, schema: object = specSchema) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `widgets.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', shortNames: ['wd'], categories: ['all'] },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: {
          status: {},
          scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
        },
        additionalPrinterColumns: [
          { name: 'Phase', type: 'string', jsonPath: '.status.phase' },
          { name: 'Wanted', type: 'integer', jsonPath: '.spec.replicas', priority: 1 },
          { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
        ],
        schema: {
          openAPIV3Schema: {
            type: 'object',
            required: ['spec'],
            properties: {
              spec: schema,
              status: { type: 'object', properties: { phase: { type: 'string' }, replicas: { type: 'integer' } } },
            },
          },
        },
      },
    ],
  },
});

/** Defined and served, in a group of its own. */
async function define({ namespace, ask, send, until, afterwards }: Scene, schema?: object) {
  const group = `${namespace}.example.dev`;
  await ask('is defined', post(DEFINITIONS, definition(group, schema)), ({ spec }) => spec.names);
  afterwards(() => send(remove(`${DEFINITIONS}/widgets.${group}`)));
  const path = pathsIn(namespace).of(`${group}/v1`)('widgets');
  await until('is served', get(path), { holds: ({ kind }) => kind === 'WidgetList', show: ({ kind }) => kind });
  const widget = (name: string, spec: unknown, more: object = {}) => ({
    apiVersion: `${group}/v1`,
    kind: 'Widget',
    metadata: { name },
    spec,
    ...more,
  });
  return { path, widget, group };
}

/** Verbs have no order. */
const plain = ({ storageVersionHash: _hash, verbs, ...each }: Body) => ({ ...each, verbs: [...verbs].sort() });

export const definitions: ConformanceCase[] = [
  {
    name: 'a definition becomes served',
    async run(scene) {
      const { ask, namespace } = scene;
      const { group } = await define(scene);
      await ask('its conditions', get(`${DEFINITIONS}/widgets.${group}`), ({ status, spec }: Body) => ({
        names: spec.names,
        accepted: status.acceptedNames,
        stored: status.storedVersions,
        conditions: status.conditions.map(({ type, status: is, reason }: Body) => ({ type, is, reason })),
      }));
      await ask('its group', get(`/apis/${group}/v1`), ({ resources }) =>
        resources.map(plain).sort((a: Body, b: Body) => (a.name < b.name ? -1 : 1)),
      );
      await ask(
        'under a wrong name',
        post(`${DEFINITIONS}?dryRun=All`, { ...definition(group), metadata: { name: `gadgets.${group}` } }),
      );
      await ask(
        'without a schema',
        post(`${DEFINITIONS}?dryRun=All`, {
          ...definition(`b${group}`),
          spec: { ...definition(`b${group}`).spec, versions: [{ name: 'v1', served: true, storage: true }] },
        }),
      );
      await ask(
        'with a rule that is none',
        post(
          `${DEFINITIONS}?dryRun=All`,
          definition(`c${group}`, { type: 'object', 'x-kubernetes-validations': [{ rule: 'self.nothing > 1' }] }),
        ),
      );
      await ask('of nobody', get(`/apis/none.${namespace}.example.dev/v1`));
    },
  },
  {
    name: 'a schema prunes, fills in and refuses',
    async run(scene) {
      const { ask } = scene;
      const { path, widget } = await define(scene);
      await ask(
        'good',
        post(
          path,
          widget('w', { image: 'abc', colour: 'red', free: { any: { thing: 1 } } }, { status: { phase: 'x' } }),
        ),
      );
      await ask(
        'strictly',
        post(`${path}?fieldValidation=Strict&dryRun=All`, widget('s', { image: 'abc', colour: 'red' })),
      );
      await ask(
        'many faults',
        post(
          path,
          widget('bad', {
            image: 'A',
            port: true,
            mode: 'odd',
            when: 'now',
            items: [{ name: 'a' }, { name: 'a' }, {}, {}],
          }),
        ),
      );
      await ask('nothing', post(path, widget('bad', {})));
      await ask('no spec', post(path, { ...widget('bad', {}), spec: undefined }));
      await ask('a wrong shape', post(path, widget('bad', 'text')));
      await ask('beyond a bound', post(path, widget('bad', { image: 'abc', replicas: 10 })));
    },
  },
  {
    name: 'rules in CEL',
    async run(scene) {
      const { ask, send } = scene;
      const { path, widget } = await define(scene);
      await ask('broken', post(path, widget('bad', { image: 'abc', replicas: 6 })));
      await ask('broken in words of their own', post(path, widget('bad', { image: 'abc', replicas: 2, mode: 'slow' })));
      await send(post(path, widget('w', { image: 'abc' })));
      await ask('about a change', merge(`${path}/w`, { spec: { image: 'xyz' } }));
      await ask('kept', merge(`${path}/w`, { spec: { replicas: 3 } }), ({ spec }) => spec);
    },
  },
  {
    name: 'columns, scale and status of a custom resource',
    async run(scene) {
      const { ask, send } = scene;
      const { path, widget } = await define(scene);
      await send(post(path, widget('w', { image: 'abc' })));
      await ask(
        'the status alone',
        merge(`${path}/w/status`, { spec: { replicas: 4 }, status: { phase: 'Ready', replicas: 1 } }),
        ({ spec, status, metadata }) => ({ spec, status, generation: metadata.generation }),
      );
      await ask(
        'the spec alone',
        merge(`${path}/w`, { spec: { replicas: 2 }, status: { phase: 'Lost' } }),
        ({ spec, status, metadata }) => ({ spec, status, generation: metadata.generation }),
      );
      await ask('a table', table(path), ({ columnDefinitions, rows }) => ({
        columns: columnDefinitions.map(({ description: _words, ...column }: Body) => column),
        cells: rows.map(({ cells }: Body) => cells.slice(0, 3)),
      }));
      await ask('a scale', get(`${path}/w/scale`));
      await ask('a strategic patch', strategic(`${path}/w`, { spec: { replicas: 3 } }));
    },
  },
  {
    name: 'an apply of a custom resource',
    async run(scene) {
      const { ask } = scene;
      const { path, widget } = await define(scene);
      const shown = ({ spec, metadata }: Body) => ({
        spec,
        owners: metadata.managedFields
          .map(({ manager, operation, subresource, fieldsV1 }: Body) => ({ manager, operation, subresource, fieldsV1 }))
          .sort((a: Body, b: Body) => (a.manager < b.manager ? -1 : 1)),
      });
      await ask(
        'made',
        apply(`${path}/w`, 'first', widget('w', { image: 'abc', items: [{ name: 'a', value: '1' }] })),
        shown,
      );
      await ask(
        'another item',
        apply(`${path}/w`, 'second', widget('w', { image: 'abc', items: [{ name: 'b', value: '1' }] })),
        shown,
      );
      await ask(
        "another's item",
        apply(`${path}/w`, 'second', widget('w', { image: 'abc', items: [{ name: 'a', value: '2' }] })),
      );
      await ask(
        'the status',
        apply(`${path}/w/status`, 'third', { ...widget('w', undefined), status: { phase: 'Ready' } }),
        shown,
      );
      await ask('one item less', apply(`${path}/w`, 'first', widget('w', { image: 'abc' })), shown);
    },
  },
];
