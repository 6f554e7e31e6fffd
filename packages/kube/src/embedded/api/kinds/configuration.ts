import type { KubeObject } from '../../../schema/object.ts';
import { CONFIG_MAP, SECRET, SERVICE_ACCOUNT } from '../../../schema/resources.ts';
import { deepEqual } from '../../store/deep-equal.ts';
import { banned, type FieldError, required, wrong } from '../errors.ts';
import type { Kind } from '../kind.ts';
import { configKey } from '../validation/names.ts';
import { at, defineKind, text } from './define.ts';
import { list } from './pod-defaults.ts';

/** Kinds that carry data: ConfigMap, Secret, ServiceAccount. */
type Data = Record<string, string>;

const LARGEST_DATA_BYTES = 1024 * 1024;
const IMMUTABLE = 'field is immutable when `immutable` is set';

const dataOf = (object: KubeObject, field = 'data') => (object[field] ?? {}) as Data;

export const configMap: Kind = defineKind(CONFIG_MAP, {
  schema: 'io.k8s.api.core.v1.ConfigMap',
  shortNames: ['cm'],
  columns: [
    text('Data', (object) => Object.keys(dataOf(object)).length + Object.keys(dataOf(object, 'binaryData')).length),
  ],
  strategy: {
    validate: (object) => {
      const errors = [...validateKeys(object, 'data'), ...validateKeys(object, 'binaryData')];
      for (const key of Object.keys(dataOf(object, 'binaryData'))) {
        if (Object.hasOwn(dataOf(object), key))
          errors.push(wrong(`data[${key}]`, key, 'duplicate of key present in binaryData'));
      }
      // How a real server writes the path of the whole object.
      return [...errors, ...validateSize(object, ['data', 'binaryData'], '[]')];
    },
    validateUpdate: (object, old) => keepImmutable(object, old, ['data', 'binaryData']),
  },
});

/** What a Secret of a known type must hold. */
const REQUIRED_KEYS: Record<string, string[]> = {
  'kubernetes.io/tls': ['tls.crt', 'tls.key'],
  'kubernetes.io/dockerconfigjson': ['.dockerconfigjson'],
  'kubernetes.io/dockercfg': ['.dockercfg'],
  'kubernetes.io/ssh-auth': ['ssh-privatekey'],
};

export const secret: Kind = defineKind(SECRET, {
  schema: 'io.k8s.api.core.v1.Secret',
  columns: [text('Type', ({ type }) => type), text('Data', (object) => Object.keys(dataOf(object)).length)],
  selectable: (object) => ({ type: String(object.type ?? '') }),
  strategy: {
    defaults: (object) => {
      object.type ??= 'Opaque';
      // Write-only convenience: goes into `data` and is never given back.
      const plain = object.stringData as Data | undefined;
      if (plain) {
        const encoded = Object.entries(plain).map(([key, value]) => [
          key,
          Buffer.from(value, 'utf8').toString('base64'),
        ]);
        object.data = { ...dataOf(object), ...Object.fromEntries(encoded) };
        delete object.stringData;
      }
    },
    validate: (object) => [
      ...validateKeys(object, 'data'),
      ...validateSize(object, ['data'], 'data'),
      ...validateSecretType(object),
    ],
    validateUpdate: (object, old) => {
      const errors = object.type === old.type ? [] : [wrong('type', object.type, 'field is immutable')];
      return [...errors, ...keepImmutable(object, old, ['data'])];
    },
  },
});

export const serviceAccount: Kind = defineKind(SERVICE_ACCOUNT, {
  schema: 'io.k8s.api.core.v1.ServiceAccount',
  shortNames: ['sa'],
  returnsDeleted: true,
  others: [{ name: 'token', kind: 'TokenRequest', group: 'authentication.k8s.io', version: 'v1', verbs: ['create'] }],
  columns: [text('Secrets', (object) => list(at(object, 'secrets')).length)],
});

function validateKeys(object: KubeObject, field: string): FieldError[] {
  return Object.keys(dataOf(object, field)).flatMap((key) =>
    configKey(key).map((problem) => wrong(`${field}[${key}]`, key, problem)),
  );
}

/** Bytes as they will be in a pod: Secrets and binaryData count decoded. */
function validateSize(object: KubeObject, fields: string[], field: string): FieldError[] {
  let bytes = 0;
  for (const name of fields) {
    const encoding = name === 'data' && object.kind === 'ConfigMap' ? 'utf8' : 'base64';
    for (const value of Object.values(dataOf(object, name))) bytes += Buffer.byteLength(value, encoding);
  }
  if (bytes <= LARGEST_DATA_BYTES) return [];
  return [{ type: 'FieldValueTooLong', field, detail: `may not be more than ${LARGEST_DATA_BYTES} bytes` }];
}

function validateSecretType(object: KubeObject): FieldError[] {
  const errors = (REQUIRED_KEYS[String(object.type)] ?? [])
    .filter((key) => !Object.hasOwn(dataOf(object), key))
    .map((key) => required(`data[${key}]`));
  if (
    object.type === 'kubernetes.io/basic-auth' &&
    !('username' in dataOf(object)) &&
    !('password' in dataOf(object))
  ) {
    errors.push(required('data[username]'), required('data[password]'));
  }
  return errors;
}

function keepImmutable(object: KubeObject, old: KubeObject, fields: string[]): FieldError[] {
  if (!old.immutable) return [];
  const errors = object.immutable ? [] : [banned('immutable', IMMUTABLE)];
  return [
    ...errors,
    ...fields
      .filter((field) => !deepEqual(dataOf(object, field), dataOf(old, field)))
      .map((field) => banned(field, IMMUTABLE)),
  ];
}
