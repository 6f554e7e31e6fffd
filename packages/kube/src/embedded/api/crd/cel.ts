import { celEnv, parse, plan } from '@bufbuild/cel';
import { strings } from '@bufbuild/cel/ext';
import { type FieldError, wrong } from '../errors.ts';
import { itemSchema, propertySchema, type Schema, type ValidationRule } from '../schema.ts';
import { celLibrary } from './cel-library.ts';

/** `x-kubernetes-validations`: rules over `self` and, for a change, `oldSelf`. */
type Evaluate = (bindings: Record<string, unknown>) => unknown;

const environment = celEnv({ funcs: [...strings, ...celLibrary] });
/** Rules are few and live as long as their definition; the bound is for a client that makes definitions without end. */
const compiled = new Map<string, Evaluate | Error>();
const MOST_COMPILED = 5_000;

export function compileRule(rule: string): Evaluate | Error {
  const known = compiled.get(rule);
  if (known) return known;
  if (compiled.size >= MOST_COMPILED) compiled.clear();
  const made = compile(rule);
  compiled.set(rule, made);
  return made;
}

function compile(rule: string): Evaluate | Error {
  try {
    return plan(environment, parse(rule)) as unknown as Evaluate;
  } catch (error) {
    return error as Error;
  }
}

/** Whether a rule compares with what was before. */
export function isAboutChange({ rule }: ValidationRule): boolean {
  return /\boldSelf\b/.test(rule);
}

export function evaluateRule(
  rule: ValidationRule,
  schema: Schema,
  { value, old, field }: { value: unknown; old?: unknown; field: string },
): FieldError[] {
  const evaluate = compileRule(rule.rule);
  if (evaluate instanceof Error) return [wrong(field, shown(value), `rule compile error: ${evaluate.message}`)];
  const bindings: Record<string, unknown> = { self: toCel(schema, value) };
  if (old !== undefined) bindings.oldSelf = toCel(schema, old);
  const result = evaluate(bindings);
  if (result === true) return [];
  if (typeof result === 'object' && result !== null) {
    return [wrong(field, shown(value), `${messageOf(result)} evaluating rule: ${rule.message ?? rule.rule}`)];
  }
  const at = rule.fieldPath ? `${field}${rule.fieldPath}` : field;
  return [{ type: reasonOf(rule), field: at, value: shown(value), detail: messageFor(rule, bindings) }];
}

function messageFor(rule: ValidationRule, bindings: Record<string, unknown>): string {
  if (rule.messageExpression) {
    const evaluate = compileRule(rule.messageExpression);
    const text = evaluate instanceof Error ? undefined : evaluate(bindings);
    if (typeof text === 'string' && text.trim() !== '') return text.trim();
  }
  return rule.message?.trim() || `failed rule: ${rule.rule.trim()}`;
}

function reasonOf({ reason }: ValidationRule): FieldError['type'] {
  if (reason === 'FieldValueForbidden' || reason === 'FieldValueRequired' || reason === 'FieldValueDuplicate')
    return reason;
  return 'FieldValueInvalid';
}

function messageOf(error: object): string {
  return error instanceof Error ? error.message : String(error);
}

/** A whole object would make the message unreadable: a real server says its type only. */
function shown(value: unknown): unknown {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'object' && value !== null ? 'object' : value;
}

/** A JSON value as CEL sees it by its schema: whole numbers are int, other numbers double. */
function toCel(schema: Schema | undefined, value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = schema && itemSchema(schema);
    return value.map((item) => toCel(items, item));
  }
  if (typeof value === 'number') return schema?.type === 'number' || !Number.isInteger(value) ? value : BigInt(value);
  if (typeof value !== 'object' || value === null) return value;
  return new Map(
    Object.entries(value).map(([key, item]) => [celName(key), toCel(schema && propertySchema(schema, key), item)]),
  );
}

/** Names that CEL cannot spell are escaped, as Kubernetes defines. */
function celName(name: string): string {
  if (RESERVED.has(name)) return `__${name}__`;
  return name;
}

const RESERVED = new Set([
  'true',
  'false',
  'null',
  'in',
  'as',
  'break',
  'const',
  'continue',
  'else',
  'for',
  'function',
  'if',
  'import',
  'let',
  'loop',
  'package',
  'namespace',
  'return',
]);
