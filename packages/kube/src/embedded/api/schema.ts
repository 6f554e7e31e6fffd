import generated from './schemas.generated.json' with { type: 'json' };

/** OpenAPI v3 as Kubernetes uses it, references resolved lazily by `resolve`. */
export interface Schema {
  $ref?: string;
  type?: string;
  format?: string;
  default?: unknown;
  properties?: Record<string, Schema>;
  items?: Schema;
  additionalProperties?: Schema | boolean;
  required?: string[];
  enum?: unknown[];
  nullable?: boolean;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: boolean;
  exclusiveMaximum?: boolean;
  multipleOf?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  minProperties?: number;
  maxProperties?: number;
  description?: string;
  allOf?: Schema[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  not?: Schema;
  'x-kubernetes-patch-merge-key'?: string;
  'x-kubernetes-patch-strategy'?: string;
  'x-kubernetes-list-type'?: string;
  'x-kubernetes-list-map-keys'?: string[];
  'x-kubernetes-map-type'?: string;
  'x-kubernetes-preserve-unknown-fields'?: boolean;
  'x-kubernetes-int-or-string'?: boolean;
  'x-kubernetes-embedded-resource'?: boolean;
  'x-kubernetes-validations'?: ValidationRule[];
}

export interface ValidationRule {
  rule: string;
  message?: string;
  messageExpression?: string;
  reason?: string;
  fieldPath?: string;
  optionalOldSelf?: boolean;
}

const PREFIX = '#/components/schemas/';
export const schemas = generated as unknown as Record<string, Schema>;
export const OBJECT_META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';

/** The schema with this full name, `io.k8s.api.core.v1.Pod`. */
export function builtInSchema(name: string): Schema {
  const schema = schemas[name];
  if (!schema) throw new Error(`there is no schema ${name}`);
  return schema;
}

/** Follows a reference; rules that stand beside it win over those it leads to. */
export function resolve(schema: Schema): Schema {
  if (!schema.$ref) return schema;
  const known = resolved.get(schema);
  if (known) return known;
  const { $ref, ...beside } = schema;
  const target = { ...resolve(builtInSchema($ref.slice(PREFIX.length))), ...beside };
  resolved.set(schema, target);
  names.set(target, $ref.split('.').at(-1)!);
  return target;
}

const resolved = new WeakMap<Schema, Schema>();
const names = new WeakMap<Schema, string>();

/** The short name of a schema that was referred to: `DeploymentSpec`. */
export function shortName(schema: Schema): string | undefined {
  return names.get(schema);
}

/** The schema of a field; undefined for a field that the schema does not know. */
export function propertySchema(schema: Schema, name: string): Schema | undefined {
  if (schema.properties && Object.hasOwn(schema.properties, name)) return resolve(schema.properties[name]!);
  const others = schema.additionalProperties;
  return typeof others === 'object' ? resolve(others) : undefined;
}

export function itemSchema(schema: Schema): Schema | undefined {
  return schema.items && resolve(schema.items);
}

/** Free-form as a whole: what is inside is nobody's business. */
export function isOpaque(schema: Schema): boolean {
  return (
    schema['x-kubernetes-preserve-unknown-fields'] === true ||
    (schema.type === 'object' && !schema.properties && schema.additionalProperties === undefined) ||
    schema.type === undefined
  );
}
