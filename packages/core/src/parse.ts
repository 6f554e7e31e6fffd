import type { z } from 'zod';
import { type FieldError, invalidInput } from './errors.ts';

/** Parses with a schema or throws `invalid_input` that names every wrong field. */
export function parseInput<S extends z.ZodType>(schema: S, input: unknown, what: string): z.output<S> {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  throw invalidInput(what, fieldErrors(result.error));
}

export function fieldErrors(error: z.ZodError): FieldError[] {
  return error.issues.map((issue) => ({ path: formatPath(issue.path), message: plainMessage(issue) }));
}

/** `['services', 0, 'env']` as people write it: `services[0].env`. */
export function formatPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    return text === '' ? String(part) : `${text}.${String(part)}`;
  }, '');
}

function plainMessage(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys') {
    return `unknown field ${issue.keys.map((key) => `"${key}"`).join(', ')}; check the spelling or remove it`;
  }
  if (issue.code === 'invalid_type' && /received undefined/.test(issue.message)) return 'is required';
  return issue.message;
}
