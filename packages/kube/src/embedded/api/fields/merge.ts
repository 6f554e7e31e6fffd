import type { Schema } from '../schema.ts';
import { itemsOf } from './compare.ts';
import type { FieldSet } from './field-set.ts';
import { fieldSchema, itemElement, listItemSchema, type Shape, shapeOf } from './shape.ts';

/** Lays an applied configuration over a live value. Neither is changed. */
export function mergeFields(schema: Schema | undefined, live: unknown, applied: unknown): unknown {
  if (applied === undefined) return live;
  const shape = shapeOf(schema, applied);
  if (shape === 'leaf' || shapeOf(schema, live) !== shape) return applied;
  if (shape === 'map') return mergeMaps(schema, live as Record<string, unknown>, applied as Record<string, unknown>);
  return mergeLists(schema, shape, { live: live as unknown[], applied: applied as unknown[] });
}

function mergeMaps(
  schema: Schema | undefined,
  live: Record<string, unknown>,
  applied: Record<string, unknown>,
): Record<string, unknown> {
  const merged = Object.entries(applied).map(([name, value]) => {
    const current = Object.hasOwn(live, name) ? live[name] : undefined;
    return [name, mergeFields(fieldSchema(schema, name), current, value)];
  });
  return { ...live, ...Object.fromEntries(merged) };
}

/** In the order of the configuration; items that only live has stay behind the one they stood behind. */
function mergeLists(
  schema: Schema | undefined,
  shape: Shape,
  { live, applied }: { live: unknown[]; applied: unknown[] },
): unknown[] {
  const known = itemsOf(schema, shape, live);
  const wanted = itemsOf(schema, shape, applied);
  const order = [...wanted.keys()];
  let place = 0;
  for (const element of known.keys()) {
    const at = order.indexOf(element);
    if (at >= 0) place = at + 1;
    else order.splice(place++, 0, element);
  }
  const items = shape === 'keyed' ? listItemSchema(schema) : undefined;
  return order.map((element) => {
    if (!wanted.has(element)) return known.get(element);
    return known.has(element) && shape === 'keyed'
      ? mergeFields(items, known.get(element), wanted.get(element))
      : wanted.get(element);
  });
}

/**
 * Removes the fields of `gone` from a value, and what they leave empty. A map or an item goes only with everything in it: what
 * somebody else still holds in there stays.
 */
export function removeFields(schema: Schema | undefined, value: unknown, gone: FieldSet): unknown {
  // With all that is in it, defaults included: nobody else holds anything in there, else it were no member.
  if (gone.member) return undefined;
  const shape = shapeOf(schema, value);
  if (gone.children.size === 0 || shape === 'leaf') return value;
  if (shape === 'map') return removeFromMap(schema, value as Record<string, unknown>, gone);
  const items = shape === 'keyed' ? listItemSchema(schema) : undefined;
  const left = (value as unknown[]).flatMap((item) => {
    const below = gone.children.get(itemElement(schema, shape, item));
    const kept = below ? removeFields(items, item, below) : item;
    return kept === undefined ? [] : [shape === 'keyed' ? withKeys(schema, kept, item) : kept];
  });
  return left.length === 0 ? undefined : left;
}

/** An item that stays for what others own in it stays findable. */
function withKeys(schema: Schema | undefined, kept: unknown, item: unknown): unknown {
  const keys = schema?.['x-kubernetes-list-map-keys'] ?? [];
  const fields = item as Record<string, unknown>;
  return {
    ...Object.fromEntries(keys.filter((key) => Object.hasOwn(fields, key)).map((key) => [key, fields[key]])),
    ...(kept as object),
  };
}

function removeFromMap(schema: Schema | undefined, value: Record<string, unknown>, gone: FieldSet): unknown {
  const entries = Object.entries(value).flatMap(([name, item]) => {
    const below = gone.children.get(`f:${name}`);
    const kept = below ? removeFields(fieldSchema(schema, name), item, below) : item;
    return kept === undefined ? [] : [[name, kept] as const];
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}
