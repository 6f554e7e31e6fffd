import type { Schema } from '../schema.ts';
import { childOf, emptySet, type FieldSet } from './field-set.ts';
import { fieldSchema, isDeclared, itemElement, listItemSchema, shapeOf } from './shape.ts';

/** The fields an applied configuration speaks of. */
export function fieldsOf(schema: Schema | undefined, value: unknown): FieldSet {
  const set = emptySet();
  collect(schema, value, set);
  return set;
}

function collect(schema: Schema | undefined, value: unknown, set: FieldSet): void {
  const shape = shapeOf(schema, value);
  if (shape === 'leaf') set.member = true;
  else if (shape === 'map') collectMap(schema, value as Record<string, unknown>, set);
  else {
    for (const item of value as unknown[]) {
      const child = childOf(set, itemElement(schema, shape, item));
      child.member = true;
      if (shape === 'keyed') collect(listItemSchema(schema), item, child);
    }
  }
}

function collectMap(schema: Schema | undefined, value: Record<string, unknown>, set: FieldSet): void {
  for (const [name, item] of Object.entries(value)) {
    if (item === undefined) continue;
    const child = childOf(set, `f:${name}`);
    // An entry of a map and an empty map are things in themselves, a declared field is what is in it.
    if (!isDeclared(schema, name) || isEmptyMap(item)) child.member = true;
    collect(fieldSchema(schema, name), item, child);
  }
}

function isEmptyMap(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0;
}
