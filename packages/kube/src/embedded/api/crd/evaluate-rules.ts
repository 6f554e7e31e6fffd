import { deepEqual } from '../../store/deep-equal.ts';
import type { FieldError } from '../errors.ts';
import { itemSchema, propertySchema, type Schema } from '../schema.ts';
import { evaluateRule, isAboutChange } from './cel.ts';
import { join } from './validate-value.ts';

/** Errors after which the rules have nothing sound to work on. */
const BLOCKING = new Set<FieldError['type']>([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);

const NOT_CHECKED: FieldError = {
  type: 'FieldValueInvalid',
  field: '<nil>',
  value: undefined,
  detail:
    'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
};

export interface RuleInput {
  value: unknown;
  /** What was there before: then the rules about the change are evaluated, else those about the state. */
  old?: unknown;
  field: string;
}

/** All `x-kubernetes-validations` of a schema, outermost first. */
export function evaluateRules(schema: Schema, input: RuleInput): FieldError[] {
  const own = (schema['x-kubernetes-validations'] ?? [])
    .filter((rule) => isAboutChange(rule) === (input.old !== undefined))
    .flatMap((rule) => evaluateRule(rule, schema, input));
  return [...own, ...below(schema, input)];
}

export function rulesAfter(schema: Schema, structural: FieldError[], input: RuleInput): FieldError[] {
  if (!hasRules(schema)) return structural;
  if (structural.some(({ type }) => BLOCKING.has(type))) return [...structural, NOT_CHECKED];
  return [...structural, ...evaluateRules(schema, input)];
}

const withRules = new WeakMap<Schema, boolean>();

function hasRules(schema: Schema): boolean {
  const known = withRules.get(schema);
  if (known !== undefined) return known;
  const inner = [...Object.values(schema.properties ?? {}), schema.items, schema.additionalProperties];
  const found =
    schema['x-kubernetes-validations'] !== undefined ||
    inner.some((part) => typeof part === 'object' && hasRules(part));
  withRules.set(schema, found);
  return found;
}

function below(schema: Schema, { value, old, field }: RuleInput): FieldError[] {
  if (!hasRules(schema) || typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return items(schema, { value, old, field });
  return Object.entries(value).flatMap(([name, item]) => {
    const property = propertySchema(schema, name);
    const before = ownField(old, name);
    // What is new has no change to judge.
    if (!property || (old !== undefined && before === undefined)) return [];
    return evaluateRules(property, { value: item, old: before, field: join(field, name) });
  });
}

function items(schema: Schema, { value, old, field }: RuleInput & { value: unknown[] }): FieldError[] {
  const item = itemSchema(schema);
  const keys = schema['x-kubernetes-list-map-keys'];
  if (!item) return [];
  return value.flatMap((entry, at) => {
    // Only in a keyed list can an item be told from a new one.
    const before = keys && Array.isArray(old) ? old.find((candidate) => sameKeys(candidate, entry, keys)) : undefined;
    if (old !== undefined && before === undefined) return [];
    return evaluateRules(item, { value: entry, old: before, field: `${field}[${at}]` });
  });
}

function sameKeys(left: unknown, right: unknown, keys: string[]): boolean {
  return keys.every((key) => deepEqual(ownField(left, key), ownField(right, key)));
}

function ownField(object: unknown, name: string): unknown {
  if (typeof object !== 'object' || object === null || !Object.hasOwn(object, name)) return undefined;
  return (object as Record<string, unknown>)[name];
}
