import type { Kind } from '../kind.ts';
import { builtInSchema, itemSchema, OBJECT_META, propertySchema, resolve, type Schema } from '../schema.ts';

/** How server-side apply sees a value: as one thing, field by field, or item by item. */
export type Shape = 'leaf' | 'map' | 'keyed' | 'set';

export function shapeOf(schema: Schema | undefined, value: unknown): Shape {
  if (Array.isArray(value)) {
    const type = schema?.['x-kubernetes-list-type'];
    return type === 'map' ? 'keyed' : type === 'set' ? 'set' : 'leaf';
  }
  if (typeof value !== 'object' || value === null) return 'leaf';
  return schema?.['x-kubernetes-map-type'] === 'atomic' ? 'leaf' : 'map';
}

export function fieldSchema(schema: Schema | undefined, name: string): Schema | undefined {
  return schema && propertySchema(schema, name);
}

export function listItemSchema(schema: Schema | undefined): Schema | undefined {
  return schema && itemSchema(schema);
}

/** Whether the field is a property of its own rather than an entry of a map. */
export function isDeclared(schema: Schema | undefined, name: string): boolean {
  return schema?.properties !== undefined && Object.hasOwn(schema.properties, name);
}

/** The path element of a list item. A key that is left out counts with its default. */
export function itemElement(schema: Schema | undefined, shape: Shape, item: unknown): string {
  if (shape === 'set') return `v:${JSON.stringify(item)}`;
  const items = listItemSchema(schema);
  const fields = item as Record<string, unknown>;
  const keys = [...(schema?.['x-kubernetes-list-map-keys'] ?? [])].sort();
  const entries = keys
    .map((key) => [key, fields?.[key] ?? fieldSchema(items, key)?.default] as const)
    .filter(([, value]) => value !== undefined);
  return `k:${JSON.stringify(Object.fromEntries(entries))}`;
}

const roots = new WeakMap<Schema, Schema>();

/** The schema of whole objects, metadata included. */
export function rootSchema({ schema, custom }: Kind): Schema {
  if (!custom) return schema;
  let root = roots.get(schema);
  if (!root) {
    root = { ...schema, properties: { ...schema.properties, metadata: resolve(builtInSchema(OBJECT_META)) } };
    roots.set(schema, root);
  }
  return root;
}
