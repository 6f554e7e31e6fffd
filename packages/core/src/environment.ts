import { z } from 'zod';

/**
 * What an environment variable can carry. A value goes from the form to the process byte for byte, so what no process
 * could receive is refused at entry, with a file offered instead.
 */
const REFUSED_NAME = 'use letters, digits, "_", "-" and ".", and do not start with a digit';

export const environmentNameSchema = z
  .string()
  .min(1, { error: `a variable needs a name: ${REFUSED_NAME}` })
  .max(253, { error: 'is longer than 253 characters' })
  .regex(/^[A-Za-z_.-][A-Za-z0-9_.-]*$/, {
    error: `cannot be a variable's name: ${REFUSED_NAME}; or mount it as a file`,
  });

export const MAX_ENVIRONMENT_VALUE_BYTES = 128 * 1024;
/** Linux gives arguments and environment together about 2 MiB; etcd stores at most 1.5 MiB in one object. */
export const MAX_ENVIRONMENT_TOTAL_BYTES = 1024 * 1024;

export const environmentValueSchema = z.string().superRefine((value, context) => {
  const problem = environmentValueProblem(value);
  if (problem) context.addIssue({ code: 'custom', message: problem });
});

/** What is wrong with a value, in words, or undefined. */
export function environmentValueProblem(value: string): string | undefined {
  if (value.includes('\0')) return 'holds a NUL byte, which no environment variable can carry; mount it as a file';
  if (!value.isWellFormed()) return 'is not valid Unicode text; mount it as a file';
  const size = byteLength(value);
  if (size > MAX_ENVIRONMENT_VALUE_BYTES) {
    return `is ${size} bytes; a variable carries at most ${MAX_ENVIRONMENT_VALUE_BYTES}; mount it as a file`;
  }
  return undefined;
}

/** A name that processes receive but that no shell can read as `$NAME`. */
export function shellCannotRead(name: string): boolean {
  return !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name);
}

/**
 * Kubernetes expands `$(NAME)` in env values, commands and arguments, and reads `$$` as one `$`. Doubling every `$`
 * makes the process see exactly what was written.
 */
export function escapeExpansion(text: string): string {
  return text.replaceAll('$', '$$$$');
}

export function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}
