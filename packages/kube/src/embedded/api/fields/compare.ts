import { deepEqual } from '../../store/deep-equal.ts';
import type { Schema } from '../schema.ts';
import { childOf, emptySet, type FieldSet, isEmpty } from './field-set.ts';
import { fieldSchema, itemElement, listItemSchema, type Shape, shapeOf } from './shape.ts';

/** What became different between two states of an object. */
export interface Comparison {
  /** New or with another value. */
  changed: FieldSet;
  removed: FieldSet;
}

export function compareFields(schema: Schema | undefined, before: unknown, after: unknown): Comparison {
  const result = { changed: emptySet(), removed: emptySet() };
  compare(schema, { before, after }, result);
  return result;
}

interface Sides {
  before: unknown;
  after: unknown;
}

function compare(schema: Schema | undefined, { before, after }: Sides, sets: Comparison): void {
  if (before === after) return;
  if (before === undefined || after === undefined) {
    addAll(schema, before ?? after, before === undefined ? sets.changed : sets.removed);
    return;
  }
  const [was, is] = [shapeOf(schema, before), shapeOf(schema, after)];
  if (was !== is || is === 'leaf' || bothEmpty(before, after)) {
    if (!deepEqual(before, after)) sets.changed.member = true;
    return;
  }
  if (is === 'map') compareMaps(schema, { before, after }, sets);
  else compareLists(schema, is, { before, after }, sets);
}

function bothEmpty(before: unknown, after: unknown): boolean {
  return Object.keys(before as object).length === 0 && Object.keys(after as object).length === 0;
}

function compareMaps(schema: Schema | undefined, sides: Sides, sets: Comparison): void {
  const before = sides.before as Record<string, unknown>;
  const after = sides.after as Record<string, unknown>;
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const pair = { before: ownField(before, name), after: ownField(after, name) };
    descend(`f:${name}`, sets, (below) => compare(fieldSchema(schema, name), pair, below));
  }
}

function ownField(object: Record<string, unknown>, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

function compareLists(schema: Schema | undefined, shape: Shape, sides: Sides, sets: Comparison): void {
  const before = itemsOf(schema, shape, sides.before as unknown[]);
  const after = itemsOf(schema, shape, sides.after as unknown[]);
  for (const element of new Set([...before.keys(), ...after.keys()])) {
    const pair = { before: before.get(element), after: after.get(element) };
    descend(element, sets, (below) => compare(shape === 'keyed' ? listItemSchema(schema) : undefined, pair, below));
  }
}

export function itemsOf(schema: Schema | undefined, shape: Shape, list: unknown[]): Map<string, unknown> {
  return new Map(list.map((item) => [itemElement(schema, shape, item), item]));
}

/** Works on the child nodes and keeps them only if something came of it. */
function descend(element: string, { changed, removed }: Comparison, work: (below: Comparison) => void): void {
  const below = { changed: emptySet(), removed: emptySet() };
  work(below);
  if (!isEmpty(below.changed)) changed.children.set(element, below.changed);
  if (!isEmpty(below.removed)) removed.children.set(element, below.removed);
}

/** Everything of a value that is there on one side only: each node counts, down to the leaves. */
function addAll(schema: Schema | undefined, value: unknown, set: FieldSet): void {
  set.member = true;
  const shape = shapeOf(schema, value);
  if (shape === 'map') {
    for (const [name, item] of Object.entries(value as object))
      if (item !== undefined) addAll(fieldSchema(schema, name), item, childOf(set, `f:${name}`));
  } else if (shape !== 'leaf') {
    for (const item of value as unknown[])
      addAll(
        shape === 'keyed' ? listItemSchema(schema) : undefined,
        item,
        childOf(set, itemElement(schema, shape, item)),
      );
  }
}
