import type { z } from 'zod';

/**
 * Reads what a schema knows of a value and leaves out the rest: a resource may have been written by a newer version, whose fields the
 * server keeps and this program has never heard of.
 */
export function readKnown<T>(schema: z.ZodType<T>, value: unknown): z.ZodSafeParseResult<T> {
  const first = schema.safeParse(value);
  if (first.success) return first;
  const unknown = first.error.issues.filter((issue) => issue.code === 'unrecognized_keys');
  if (unknown.length === 0) return first;
  const known = structuredClone(value);
  for (const { path, keys } of unknown) {
    const holder = path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key], known);
    for (const key of keys) delete (holder as Record<string, unknown>)[key];
  }
  return schema.safeParse(known);
}
