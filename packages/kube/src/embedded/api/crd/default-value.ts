import { itemSchema, propertySchema, type Schema } from '../schema.ts';

/** Fills in the defaults of a structural schema, in place. A null where null is not allowed counts as absent. */
export function applyDefaults(schema: Schema, value: unknown): void {
  if (Array.isArray(value)) {
    const items = itemSchema(schema);
    if (items) for (const item of value) applyDefaults(items, item);
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  const object = value as Record<string, unknown>;
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    if (property.default === undefined) continue;
    if (!Object.hasOwn(object, name) || (object[name] === null && !property.nullable))
      object[name] = structuredClone(property.default);
  }
  for (const [name, item] of Object.entries(object)) {
    const property = propertySchema(schema, name);
    if (property) applyDefaults(property, item);
  }
}
