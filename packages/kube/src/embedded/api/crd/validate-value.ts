import { deepEqual } from '../../store/deep-equal.ts';
import { type FieldError, required, unsupported, wrong } from '../errors.ts';
import { itemSchema, propertySchema, type Schema } from '../schema.ts';
import { hasFormat } from './formats.ts';

/** Validates a value against a structural schema; the rules in CEL come after, see evaluate-rules.ts. */
export function validateValue(schema: Schema, value: unknown, field: string): FieldError[] {
  if (value === null) return schema.nullable ? [] : [typeError(schema, value, field)];
  if (schema['x-kubernetes-int-or-string']) {
    if (typeof value === 'string' || Number.isInteger(value)) return checkScalar(schema, value, field);
    return [typeError({ type: 'integer,string' }, value, field)];
  }
  if (schema.type !== undefined && !hasType(schema.type, value)) return [typeError(schema, value, field)];
  const inner = Array.isArray(value)
    ? checkArray(schema, value, field)
    : isObject(value)
      ? checkObject(schema, value, field)
      : checkScalar(schema, value, field);
  return [...inner, ...checkCombinations(schema, value, field)];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function hasType(type: string, value: unknown): boolean {
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isObject(value);
  if (type === 'integer') return Number.isInteger(value);
  return typeof value === type;
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

function typeError(schema: Schema, value: unknown, field: string): FieldError {
  const type = typeName(value);
  return {
    type: 'FieldValueTypeInvalid',
    field,
    value: type,
    detail: `${where(field)} in body must be of type ${schema.type}: ${JSON.stringify(type)}`,
  };
}

function where(field: string): string {
  return field === '<nil>' ? '' : field;
}

function show(value: unknown): unknown {
  return isObject(value) ? 'object' : Array.isArray(value) ? 'array' : value;
}

function checkArray(schema: Schema, value: unknown[], field: string): FieldError[] {
  const errors: FieldError[] = [];
  if (schema.maxItems !== undefined && value.length > schema.maxItems) {
    errors.push({
      type: 'FieldValueTooMany',
      field,
      value: value.length,
      detail: `must have at most ${schema.maxItems} items`,
    });
  }
  if (schema.minItems !== undefined && value.length < schema.minItems) {
    errors.push(wrong(field, value.length, `${field} in body should have at least ${schema.minItems} items`));
  }
  errors.push(...checkUnique(schema, value, field));
  const items = itemSchema(schema);
  if (!items) return errors;
  value.forEach((item, at) => {
    errors.push(...validateValue(items, item, `${field}[${at}]`));
  });
  return errors;
}

function checkUnique(schema: Schema, value: unknown[], field: string): FieldError[] {
  const type = schema['x-kubernetes-list-type'];
  if (type !== 'map' && type !== 'set') return [];
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  const seen = new Set<string>();
  return value.flatMap((item, at): FieldError[] => {
    const identity =
      type === 'set' ? item : Object.fromEntries(keys.map((key) => [key, isObject(item) ? item[key] : undefined]));
    const text = JSON.stringify(identity);
    if (seen.has(text)) return [{ type: 'FieldValueDuplicate', field: `${field}[${at}]`, value: identity }];
    seen.add(text);
    return [];
  });
}

function checkObject(schema: Schema, value: Record<string, unknown>, field: string): FieldError[] {
  const errors = (schema.required ?? [])
    .filter((name) => !Object.hasOwn(value, name))
    .map((name) => required(join(field, name)));
  const count = Object.keys(value).length;
  if (schema.maxProperties !== undefined && count > schema.maxProperties) {
    errors.push({
      type: 'FieldValueTooMany',
      field,
      value: count,
      detail: `must have at most ${schema.maxProperties} items`,
    });
  }
  if (schema.minProperties !== undefined && count < schema.minProperties) {
    errors.push(wrong(field, count, `${field} in body should have at least ${schema.minProperties} properties`));
  }
  for (const [name, item] of Object.entries(value)) {
    const property = propertySchema(schema, name);
    if (!property) continue;
    errors.push(...validateValue(property, item, join(field, name)));
  }
  return errors;
}

export function join(field: string, name: string): string {
  return field === '' || field === '<nil>' ? name : `${field}.${name}`;
}

function checkScalar(schema: Schema, value: unknown, field: string): FieldError[] {
  const errors: FieldError[] = [];
  if (schema.enum && !schema.enum.some((choice) => deepEqual(choice, value))) {
    errors.push({
      ...unsupported(field, value, schema.enum.map(String)),
      detail: `supported values: ${schema.enum.map((choice) => JSON.stringify(choice)).join(', ')}`,
    });
  }
  if (typeof value === 'number') errors.push(...checkNumber(schema, value, field));
  if (typeof value === 'string') errors.push(...checkString(schema, value, field));
  return errors;
}

function checkNumber(schema: Schema, value: number, field: string): FieldError[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  const errors: FieldError[] = [];
  if (minimum !== undefined && (exclusiveMinimum ? value <= minimum : value < minimum)) {
    errors.push(
      wrong(
        field,
        value,
        `${field} in body should be greater than ${exclusiveMinimum ? '' : 'or equal to '}${minimum}`,
      ),
    );
  }
  if (maximum !== undefined && (exclusiveMaximum ? value >= maximum : value > maximum)) {
    errors.push(
      wrong(field, value, `${field} in body should be less than ${exclusiveMaximum ? '' : 'or equal to '}${maximum}`),
    );
  }
  if (multipleOf !== undefined && value % multipleOf !== 0)
    errors.push(wrong(field, value, `${field} in body should be a multiple of ${multipleOf}`));
  const limit = schema.format === 'int32' ? 2 ** 31 : undefined;
  if (limit !== undefined && (value < -limit || value >= limit))
    errors.push(wrong(field, value, `${field} in body must be of type int32: ${JSON.stringify('integer')}`));
  return errors;
}

function checkString(schema: Schema, value: string, field: string): FieldError[] {
  const errors: FieldError[] = [];
  const length = [...value].length;
  if (schema.maxLength !== undefined && length > schema.maxLength) {
    errors.push({ type: 'FieldValueTooLong', field, detail: `may not be more than ${schema.maxLength} bytes` });
  } else if (schema.minLength !== undefined && length < schema.minLength) {
    errors.push(wrong(field, value, `${field} in body should be at least ${schema.minLength} chars long`));
  } else if (schema.pattern !== undefined && !new RegExp(schema.pattern, 'u').test(value)) {
    errors.push(wrong(field, value, `${field} in body should match '${schema.pattern}'`));
  }
  if (schema.format !== undefined && !hasFormat(schema.format, value)) {
    errors.push({
      type: 'FieldValueTypeInvalid',
      field,
      value,
      detail: `${field} in body must be of type ${schema.format}: ${JSON.stringify(value)}`,
    });
  }
  return errors;
}

function checkCombinations(schema: Schema, value: unknown, field: string): FieldError[] {
  const passes = (candidate: Schema) => validateValue(candidate, value, field).length === 0;
  const errors: FieldError[] = (schema.allOf ?? []).flatMap((candidate) => validateValue(candidate, value, field));
  if (schema.anyOf && !schema.anyOf.some(passes))
    errors.push(wrong(field, show(value), `${field} in body must validate at least one schema (anyOf)`));
  if (schema.oneOf && schema.oneOf.filter(passes).length !== 1)
    errors.push(wrong(field, show(value), `${field} in body must validate one and only one schema (oneOf)`));
  if (schema.not && passes(schema.not))
    errors.push(wrong(field, show(value), `${field} in body must not validate the schema (not)`));
  return errors;
}
