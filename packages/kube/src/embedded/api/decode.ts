import type { KubeObject } from '../../schema/object.ts';
import { canonicalQuantity, isQuantity } from '../../schema/quantity.ts';
import { badRequest } from './errors.ts';
import type { Kind } from './kind.ts';
import { builtInSchema, isOpaque, itemSchema, OBJECT_META, propertySchema, type Schema, shortName } from './schema.ts';

/** What a write does about fields that the schema does not know. */
export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

const QUANTITY = builtInSchema('io.k8s.apimachinery.pkg.api.resource.Quantity');
const INT_OR_STRING = builtInSchema('io.k8s.apimachinery.pkg.util.intstr.IntOrString');
const GO_TYPES: Record<string, string> = { boolean: 'bool', integer: 'int32', number: 'float64', string: 'string' };
/** Fields every object has beside its kind's own. */
const TYPE_FIELDS = new Set(['apiVersion', 'kind', 'metadata']);

/**
 * Turns what a client sent into an object of the kind: a fresh copy without unknown fields, nulls dropped, quantities in their one
 * spelling. Unknown fields are refused, warned of or dropped as `validation` says; a wrong type is always refused.
 */
export function decodeObject(
  kind: Kind,
  body: unknown,
  validation: FieldValidation,
  warn: (text: string, path: string) => void,
): KubeObject {
  const sent = checkType(kind, body);
  const unknown: string[] = [];
  const object = kind.custom
    ? decodeCustom(kind, sent, unknown)
    : (decodeObjectFields(kind.schema, sent, { unknown, kind, path: '', owner: kind.kind }) as KubeObject);
  object.apiVersion = sent.apiVersion as string;
  object.kind = kind.kind;
  object.metadata ??= {} as KubeObject['metadata'];
  dropEmptyMetadata(object.metadata);
  const paths = [...new Set(unknown)];
  const message = (path: string) => `unknown field "${path}"`;
  if (paths.length > 0 && validation === 'Strict') throw strictError(kind, sent, paths.map(message));
  if (validation === 'Warn') for (const path of paths) warn(message(path), path);
  return object;
}

/** What is empty is not there: the last label removed leaves no trace of labels. */
function dropEmptyMetadata(metadata: KubeObject['metadata']): void {
  for (const field of ['labels', 'annotations', 'finalizers', 'ownerReferences'] as const)
    if (metadata[field] && Object.keys(metadata[field]).length === 0) delete metadata[field];
}

function strictError(kind: Kind, sent: Record<string, unknown>, messages: string[]) {
  const list = messages.join(', ');
  return badRequest(
    `${kind.kind} in version ${JSON.stringify(kind.version)} cannot be handled as a ${String(sent.kind)}: strict decoding error: ${list}`,
  );
}

function checkType(kind: Kind, body: unknown): Record<string, unknown> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw badRequest(`couldn't get version/kind; json parse error: the body is not an object of kind ${kind.kind}`);
  }
  const sent = { ...(body as Record<string, unknown>) };
  const expected = kind.group === '' ? kind.version : `${kind.group}/${kind.version}`;
  // As a real server does, an object without type is taken for what the path says.
  sent.apiVersion ??= expected;
  sent.kind ??= kind.kind;
  if (sent.kind !== kind.kind) {
    throw badRequest(
      `${String(sent.kind)} in version ${JSON.stringify(shortVersion(sent.apiVersion))} cannot be handled as a ${kind.kind}: converting (${shortVersion(sent.apiVersion)}.${String(sent.kind)}) to (${internalGroup(kind)}.${kind.kind}): unknown conversion`,
    );
  }
  if (sent.apiVersion !== expected) {
    throw badRequest(
      `the API version in the data (${String(sent.apiVersion)}) does not match the expected API version (${expected})`,
    );
  }
  return sent;
}

/** The name of a group's internal package, as it shows in errors. */
function internalGroup({ group }: Kind): string {
  return group === '' ? 'core' : group.split('.')[0]!;
}

function shortVersion(apiVersion: unknown): string {
  return String(apiVersion).split('/').at(-1)!;
}

interface Walk {
  /** The type the field belongs to, as errors name it. */
  owner: string;
  unknown: string[];
  kind: Kind;
  path: string;
}

/** A custom resource is pruned by its schema; types are the validation's business. */
function decodeCustom(kind: Kind, sent: Record<string, unknown>, unknown: string[]): KubeObject {
  const { metadata, ...fields } = sent;
  const meta = decodeValue(builtInSchema(OBJECT_META), metadata ?? {}, {
    unknown,
    kind,
    path: 'metadata',
    owner: kind.kind,
  });
  const pruned = prune(kind.schema, fields, { unknown, path: '', root: true }) as KubeObject;
  pruned.metadata = meta as KubeObject['metadata'];
  return pruned;
}

/** Drops what a structural schema does not know. */
export function prune(
  schema: Schema,
  value: unknown,
  walk: { unknown: string[]; path: string; root?: boolean },
): unknown {
  if (Array.isArray(value)) {
    const items = itemSchema(schema);
    if (!items) return value;
    return value.map((item, at) => prune(items, item, { unknown: walk.unknown, path: `${walk.path}[${at}]` }));
  }
  if (typeof value !== 'object' || value === null) return value;
  const keepsUnknown = schema['x-kubernetes-preserve-unknown-fields'] === true || schema.additionalProperties === true;
  const result: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) {
    const path = join(walk.path, key);
    const field = propertySchema(schema, key);
    const belongsToType = (walk.root || schema['x-kubernetes-embedded-resource']) && TYPE_FIELDS.has(key);
    if (field) result[key] = prune(field, item, { unknown: walk.unknown, path });
    else if (keepsUnknown || belongsToType) result[key] = item;
    else walk.unknown.push(path);
  }
  return result;
}

export function decodeValue(schema: Schema, value: unknown, walk: Walk): unknown {
  if (isScalarUnion(schema)) return decodeUnion(schema, value, walk);
  if (isOpaque(schema)) return value;
  if (schema.type === 'array') return decodeArray(schema, value, walk);
  if (schema.type === 'object') return decodeObjectFields(schema, value, walk);
  return decodeScalar(schema, value, walk);
}

function decodeArray(schema: Schema, value: unknown, walk: Walk): unknown {
  if (!Array.isArray(value)) throw typeError(walk, value, '[]');
  const items = itemSchema(schema);
  if (!items) return value;
  return value.map((item, at) => decodeValue(items, item ?? zeroOf(items), { ...walk, path: `${walk.path}[${at}]` }));
}

function zeroOf(schema: Schema): unknown {
  return schema.type === 'object' ? {} : '';
}

function decodeObjectFields(schema: Schema, value: unknown, walk: Walk): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw typeError(walk, value, 'map');
  const result: Record<string, unknown> = {};
  const owner = shortName(schema) ?? walk.owner;
  for (const [key, item] of Object.entries(value)) {
    const path = join(walk.path, key);
    const field = propertySchema(schema, key);
    if (!field) walk.unknown.push(path);
    // Errors name the field of a type, not the key of a map.
    else if (item !== null && item !== undefined) {
      const decoded = decodeValue(field, item, { ...walk, path: schema.properties ? path : walk.path, owner });
      if (!isLeftOut(schema, key, decoded)) result[key] = decoded;
    } else if (!schema.properties) result[key] = zeroOf(field);
  }
  return result;
}

/** An empty list or map of a type is not there; an empty object, such as `emptyDir: {}`, says something. */
function isLeftOut(schema: Schema, key: string, value: unknown): boolean {
  if (!schema.properties || schema.required?.includes(key)) return false;
  if (Array.isArray(value)) return value.length === 0;
  const field = propertySchema(schema, key);
  const isMap = field?.type === 'object' && field.properties === undefined && !isOpaque(field);
  return isMap && typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

function isScalarUnion(schema: Schema): boolean {
  return schema.oneOf !== undefined || schema.format === 'int-or-string' || schema.oneOf === QUANTITY.oneOf;
}

function decodeUnion(schema: Schema, value: unknown, walk: Walk): unknown {
  if (schema.format === INT_OR_STRING.format && schema.format !== undefined) {
    if (typeof value === 'string' || Number.isInteger(value)) return value;
    throw typeError(walk, value, 'intstr.IntOrString');
  }
  if (!isQuantity(value)) throw badQuantity(walk);
  return canonicalQuantity(value);
}

function badQuantity({ kind }: Walk) {
  return decodeError(
    kind,
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
  );
}

function decodeScalar(schema: Schema, value: unknown, walk: Walk): unknown {
  const type = schema.type!;
  const right = type === 'integer' ? Number.isInteger(value) : typeof value === type;
  if (!right) throw typeError(walk, value, schema.format === 'int64' ? 'int64' : GO_TYPES[type]!);
  if (schema.format === 'byte' && !isBase64(value as string))
    throw decodeError(walk.kind, `illegal base64 data at input byte ${badBase64At(value as string)}`);
  if (schema.format === 'date-time') return decodeTime(value as string, walk);
  return value;
}

function isBase64(text: string): boolean {
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
}

function badBase64At(text: string): number {
  const at = text.search(/[^A-Za-z0-9+/]/);
  return at < 0 ? text.length - (text.length % 4) : at;
}

/** Whole seconds, except for the times of leases and events, which keep their fraction. */
function decodeTime(value: string, walk: Walk): string {
  const match = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.exec(value);
  const time = match ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(time))
    throw decodeError(
      walk.kind,
      `parsing time ${JSON.stringify(value)} as "2006-01-02T15:04:05Z07:00": cannot parse ${JSON.stringify(value)} in ${walk.path}`,
    );
  if (MICRO_TIMES.has(walk.path)) return value;
  return `${new Date(time).toISOString().slice(0, 19)}Z`;
}

const MICRO_TIMES = new Set(['spec.acquireTime', 'spec.renewTime', 'eventTime', 'series.lastObservedTime']);

function typeError({ kind, path, owner }: Walk, value: unknown, wanted: string) {
  const got = Array.isArray(value)
    ? 'array'
    : value === null
      ? 'null'
      : typeof value === 'boolean'
        ? 'bool'
        : typeof value;
  return decodeError(kind, `json: cannot unmarshal ${got} into Go struct field ${owner}.${path} of type ${wanted}`);
}

function decodeError(kind: Kind, why: string) {
  return badRequest(
    `${kind.kind} in version ${JSON.stringify(kind.version)} cannot be handled as a ${kind.kind}: ${why}`,
  );
}

function join(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}
