import { z } from 'zod';
import { type FieldError, invalidInput } from './errors.ts';

/** What zod says where a schema has no words of its own: plain, and with the way out. */
z.config({ localeError: plainWords });

/** Parses with a schema or throws `invalid_input` that names every wrong field. */
export function parseInput<S extends z.ZodType>(schema: S, input: unknown, what: string): z.output<S> {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  throw invalidInput(what, fieldErrors(result.error));
}

/** Nobody mends more at once, and an answer stays smaller than the question. */
const MOST_FIELDS = 100;

/** `root` goes before every path: `['values']` for what stands under it. The first hundred; of the rest only how many. */
export function fieldErrors(error: z.ZodError, root: readonly PropertyKey[] = []): FieldError[] {
  const all = everyFieldError(error, root);
  if (all.length <= MOST_FIELDS) return all;
  return [
    ...all.slice(0, MOST_FIELDS),
    { path: formatPath(root), message: `${all.length - MOST_FIELDS} more are not right; mend these first` },
  ];
}

function everyFieldError(error: z.ZodError, root: readonly PropertyKey[]): FieldError[] {
  return error.issues.flatMap((issue) => {
    if (issue.code !== 'unrecognized_keys')
      return [{ path: formatPath([...root, ...issue.path]), message: issue.message }];
    return issue.keys.map((key) => ({
      path: formatPath([...root, ...issue.path, key]),
      message: 'is not known here; check the spelling or remove it',
    }));
  });
}

/** `['services', 0, 'env']` as people write it: `services[0].env`. */
export function formatPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    return text === '' ? String(part) : `${text}.${String(part)}`;
  }, '');
}

/** The other way round. */
export function pathParts(path: string): (string | number)[] {
  return path
    .split(/[.[\]]+/)
    .filter((part) => part !== '')
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part));
}

function plainWords(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is required' : `must be ${article(issue.expected)}`;
    case 'too_big':
      return `must be at most ${issue.maximum}${unit(issue.origin)}`;
    case 'too_small':
      return issue.origin === 'string' && issue.minimum === 1
        ? 'is required'
        : `must be at least ${issue.minimum}${unit(issue.origin)}`;
    case 'invalid_value':
      return `must be ${issue.values.map((value) => JSON.stringify(value)).join(' or ')}`;
    case 'invalid_union':
      return 'fits none of the allowed forms';
    case 'invalid_format':
      return `is not a valid ${issue.format === 'regex' ? 'value' : issue.format}`;
    default:
      return undefined;
  }
}

function article(type: string): string {
  if (type === 'int') return 'a whole number';
  if (type === 'array') return 'a list';
  if (type === 'object' || type === 'record') return 'an object';
  return `a ${type}`;
}

function unit(origin: string): string {
  if (origin === 'string') return ' characters long';
  return origin === 'array' ? ' items' : '';
}
