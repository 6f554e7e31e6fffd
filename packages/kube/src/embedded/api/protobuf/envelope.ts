import { badRequest, unsupportedMediaType } from '../errors.ts';
import messages from './messages.generated.json' with { type: 'json' };
import { readFields, type WireField } from './wire.ts';

/**
 * The envelope in which clients with typed kinds (`kubectl create configmap`) send objects: four magic bytes, then a message with the type
 * and the object's own bytes. It is turned into what the same object would be as JSON, and goes the way of JSON from there.
 */
export const PROTOBUF = 'application/vnd.kubernetes.protobuf';

const MAGIC = [0x6b, 0x38, 0x73, 0x00];
const GROUPS: Record<string, string> = {
  'rbac.authorization.k8s.io': 'rbac',
  'networking.k8s.io': 'networking',
  'coordination.k8s.io': 'coordination',
  'storage.k8s.io': 'storage',
  'discovery.k8s.io': 'discovery',
  'authentication.k8s.io': 'authentication',
  'authorization.k8s.io': 'authorization',
};

type Layout = Record<string, [name: string, type: string]>;
const layouts = messages as unknown as Record<string, Layout>;

export function decodeProtobuf(body: Uint8Array): unknown {
  if (!MAGIC.every((byte, at) => body[at] === byte))
    throw badRequest('provided data does not appear to be a protobuf message, expected prefix 6b 38 73 00');
  try {
    return decodeEnvelope(body.subarray(MAGIC.length));
  } catch (error) {
    if (error instanceof RangeError || error instanceof Error) {
      if ('status' in error) throw error;
      throw badRequest(`the protobuf message cannot be read: ${error.message}`);
    }
    throw error;
  }
}

function decodeEnvelope(bytes: Uint8Array): unknown {
  const fields = readFields(bytes);
  const [apiVersion = '', kind = ''] = [1, 2].map((number) => text(find(readFields(bytesOf(find(fields, 1))), number)));
  const layout = layoutFor(apiVersion, kind);
  if (!layout)
    throw unsupportedMediaType(
      `protobuf is not supported for ${kind} in ${JSON.stringify(apiVersion)}: send application/json`,
    );
  return { apiVersion, kind, ...decodeMessage(layout, bytesOf(find(fields, 2))) };
}

function layoutFor(apiVersion: string, kind: string): Layout | undefined {
  if (kind === 'DeleteOptions') return layouts['meta/v1.DeleteOptions'];
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['core', apiVersion];
  const name = `${GROUPS[group!] ?? group}/${version}.${kind}`;
  return Object.hasOwn(layouts, name) ? layouts[name] : undefined;
}

function decodeMessage(layout: Layout, bytes: Uint8Array): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const field of readFields(bytes)) {
    const known = layout[field.number];
    if (known) decodeField(result, known, field);
  }
  return result;
}

function decodeField(result: Record<string, unknown>, [name, type]: [string, string], { value }: WireField): void {
  if (type.startsWith('[]')) {
    result[name] ??= [];
    (result[name] as unknown[]).push(decodeValue(type.slice(2), value));
  } else if (type.startsWith('{}')) {
    const entry = readFields(bytesOf(value));
    result[name] ??= {};
    Object.defineProperty(result[name], text(find(entry, 1)), {
      value: decodeValue(type.slice(2), find(entry, 2)),
      enumerable: true,
      writable: true,
      configurable: true,
    });
  } else if (type.startsWith('*')) {
    result[name] = decodeValue(type.slice(1), value);
  } else {
    const decoded = decodeValue(type, value);
    if (name === '') Object.assign(result, decoded);
    // Go sends the zero value of what is no pointer; JSON leaves it out.
    else if (!isZero(decoded)) result[name] = decoded;
  }
}

function isZero(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0;
  return value === undefined || value === null || value === '' || value === 0 || value === false;
}

function decodeValue(type: string, value: WireField['value'] | undefined): unknown {
  switch (type) {
    case 'string':
      return text(value);
    case 'int':
      return value ?? 0;
    case 'bool':
      return value === 1;
    case 'bytes':
      return Buffer.from(bytesOf(value)).toString('base64');
    case 'time':
      return decodeTime(readFields(bytesOf(value)));
    case 'quantity':
      return text(find(readFields(bytesOf(value)), 1));
    case 'intOrString':
      return decodeIntOrString(readFields(bytesOf(value)));
    default:
      return layouts[type] ? decodeMessage(layouts[type], bytesOf(value)) : undefined;
  }
}

function decodeTime(fields: WireField[]): string | undefined {
  const seconds = find(fields, 1);
  if (typeof seconds !== 'number' || seconds === 0) return undefined;
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`;
}

function decodeIntOrString(fields: WireField[]): string | number {
  return find(fields, 1) === 1 ? text(find(fields, 3)) : ((find(fields, 2) as number | undefined) ?? 0);
}

function find(fields: WireField[], number: number): WireField['value'] | undefined {
  return fields.findLast((field) => field.number === number)?.value;
}

function bytesOf(value: WireField['value'] | undefined): Uint8Array {
  if (value === undefined) return new Uint8Array();
  if (typeof value === 'number') throw new Error('a number stands where bytes belong');
  return value;
}

function text(value: WireField['value'] | undefined): string {
  return new TextDecoder('utf-8', { fatal: true }).decode(bytesOf(value));
}
