import type { CustomResourceDefinition } from '@berth/core/crd';
import type { ResourceType } from '@berth/kube/schema/object';
import { EXTERNAL_SECRET, SECRET_STORE } from './resource-types.ts';

/**
 * The two kinds of External Secrets that Berth uses, for clusters that do not have External Secrets. Where it is
 * installed its own, larger definitions stay; objects that Berth writes fit both.
 */
type Schema = Record<string, unknown>;

const text: Schema = { type: 'string' };
const name: Schema = { type: 'string', minLength: 1, maxLength: 253 };
const choice = (...values: string[]): Schema => ({ type: 'string', enum: values });
const list = (items: Schema): Schema => ({ type: 'array', items });
const textMap: Schema = { type: 'object', additionalProperties: text };
const record = (properties: Record<string, Schema>, required: string[] = []): Schema => ({
  type: 'object',
  ...(required.length > 0 && { required }),
  properties,
});

const conditions = list(
  record(
    {
      type: text,
      status: text,
      reason: text,
      message: text,
      lastTransitionTime: { type: 'string', format: 'date-time' },
    },
    ['type', 'status'],
  ),
);

const externalSecretSpec = record({
  refreshInterval: { ...text, description: 'How often the store is read, for example 1h; 0 for once.' },
  refreshPolicy: choice('CreatedOnce', 'Periodic', 'OnChange'),
  secretStoreRef: record({ name, kind: choice('SecretStore', 'ClusterSecretStore') }),
  target: record({
    name,
    creationPolicy: choice('Owner', 'Orphan', 'Merge', 'None'),
    deletionPolicy: choice('Delete', 'Merge', 'Retain'),
    immutable: { type: 'boolean' },
    template: record({ type: text, metadata: record({ annotations: textMap, labels: textMap }) }),
  }),
  data: list(
    record(
      {
        secretKey: { ...name, pattern: '^[-._a-zA-Z0-9]+$' },
        remoteRef: record({ key: text, property: text, version: text }, ['key']),
      },
      ['secretKey', 'remoteRef'],
    ),
  ),
});

const externalSecretStatus = record({
  refreshTime: { type: 'string', format: 'date-time' },
  syncedResourceVersion: text,
  conditions,
  binding: record({ name: text }),
});

const secretStoreSpec = record(
  {
    refreshInterval: { type: 'integer' },
    provider: record({
      webhook: record(
        {
          url: text,
          method: text,
          headers: textMap,
          body: text,
          timeout: text,
          result: record({ jsonPath: text }),
          caBundle: { type: 'string', format: 'byte' },
          caProvider: record({ type: choice('Secret', 'ConfigMap'), name, key: text, namespace: text }, [
            'type',
            'name',
          ]),
          secrets: list(
            record({ name, secretRef: record({ name: text, key: text, namespace: text }) }, ['name', 'secretRef']),
          ),
        },
        ['url', 'result'],
      ),
    }),
  },
  ['provider'],
);

const readyColumns = [
  { name: 'Status', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].reason' },
  { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
  { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
];

export function externalSecretDefinition(): CustomResourceDefinition {
  const columns = [
    { name: 'Store', type: 'string', jsonPath: '.spec.secretStoreRef.name' },
    { name: 'Refresh Interval', type: 'string', jsonPath: '.spec.refreshInterval' },
    ...readyColumns,
  ];
  return definition(EXTERNAL_SECRET, {
    shortNames: ['es'],
    columns,
    spec: externalSecretSpec,
    status: externalSecretStatus,
  });
}

export function secretStoreDefinition(): CustomResourceDefinition {
  const status = record({ conditions });
  return definition(SECRET_STORE, { shortNames: ['ss'], columns: readyColumns, spec: secretStoreSpec, status });
}

interface Parts {
  shortNames: string[];
  columns: Record<string, string>[];
  spec: Schema;
  status: Schema;
}

function definition(type: ResourceType, { shortNames, columns, spec, status }: Parts): CustomResourceDefinition {
  const { group, kind, plural, version } = type;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: {
        plural,
        singular: kind.toLowerCase(),
        kind,
        listKind: `${kind}List`,
        shortNames,
        categories: ['external-secrets'],
      },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          subresources: { status: {} },
          additionalPrinterColumns: columns,
          schema: {
            openAPIV3Schema: record({ apiVersion: text, kind: text, metadata: { type: 'object' }, spec, status }),
          },
        },
      ],
    },
  };
}
