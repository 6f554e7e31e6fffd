import { KubeError } from '../../schema/status.ts';

/** The failures of a Kubernetes API server, in its own words. */
export interface GroupResource {
  group: string;
  plural: string;
}

export function resourceName({ group, plural }: GroupResource): string {
  return group === '' ? plural : `${plural}.${group}`;
}

function detailsOf(type: GroupResource, name: string) {
  return { ...(name && { name }), ...(type.group && { group: type.group }), kind: type.plural };
}

export function notFound(type: GroupResource, name: string): KubeError {
  return new KubeError(404, 'NotFound', `${resourceName(type)} ${quote(name)} not found`, detailsOf(type, name));
}

/** For a path that leads nowhere. */
export function pageNotFound(): KubeError {
  return new KubeError(404, 'NotFound', 'the server could not find the requested resource', {});
}

export function alreadyExists(type: GroupResource, name: string): KubeError {
  return new KubeError(
    409,
    'AlreadyExists',
    `${resourceName(type)} ${quote(name)} already exists`,
    detailsOf(type, name),
  );
}

export function conflict(type: GroupResource, name: string, why: string): KubeError {
  const message = `Operation cannot be fulfilled on ${resourceName(type)} ${quote(name)}: ${why}`;
  return new KubeError(409, 'Conflict', message, detailsOf(type, name));
}

export const MODIFIED = 'the object has been modified; please apply your changes to the latest version and try again';

export function forbidden(type: GroupResource, name: string, why: string): KubeError {
  const subject = name === '' ? resourceName(type) : `${resourceName(type)} ${quote(name)}`;
  return new KubeError(403, 'Forbidden', `${subject} is forbidden: ${why}`, detailsOf(type, name));
}

export function badRequest(message: string): KubeError {
  return new KubeError(400, 'BadRequest', message);
}

export function methodNotAllowed(type: GroupResource, action: string): KubeError {
  const message = `${action} is not supported on resources of kind ${quote(resourceName(type))}`;
  return new KubeError(405, 'MethodNotAllowed', message, {
    ...(type.group && { group: type.group }),
    kind: type.plural,
  });
}

export function expired(message: string): KubeError {
  return new KubeError(410, 'Expired', message);
}

export function tooLarge(message: string): KubeError {
  return new KubeError(413, 'RequestEntityTooLarge', `Request entity too large: ${message}`);
}

export function unsupportedMediaType(message: string): KubeError {
  return new KubeError(415, 'UnsupportedMediaType', message);
}

export function internalError(cause: unknown): KubeError {
  const text = cause instanceof Error ? cause.message : String(cause);
  return new KubeError(
    500,
    'InternalError',
    `Internal error occurred: ${text}`,
    { causes: [{ message: text }] },
    cause,
  );
}

/** One field that is wrong. */
export interface FieldError {
  type: keyof typeof WORDS;
  field: string;
  /** Shown for those types that name the bad value. */
  value?: unknown;
  detail?: string;
}

const WORDS = {
  FieldValueRequired: 'Required value',
  FieldValueInvalid: 'Invalid value',
  FieldValueNotSupported: 'Unsupported value',
  FieldValueDuplicate: 'Duplicate value',
  FieldValueForbidden: 'Forbidden',
  FieldValueTooLong: 'Too long',
  FieldValueTooMany: 'Too many',
  FieldValueTypeInvalid: 'Invalid value',
  FieldValueNotFound: 'Not found',
} as const;

/** Types that say no value: it is absent, secret or too long to show. */
const SILENT = new Set(['FieldValueRequired', 'FieldValueForbidden', 'FieldValueTooLong']);

export function invalid(
  type: { group: string; kind: string },
  name: string | undefined,
  errors: FieldError[],
): KubeError {
  const kind = type.group === '' ? type.kind : `${type.kind}.${type.group}`;
  const lines = [...new Set(errors.map((error) => `${error.field}: ${bodyOf(error)}`))];
  const text = lines.length === 1 ? lines[0] : `[${lines.join(', ')}]`;
  const causes = errors.map((error) => ({ reason: error.type, message: bodyOf(error), field: error.field }));
  const details = { ...(name && { name }), ...(type.group && { group: type.group }), kind: type.kind, causes };
  return new KubeError(422, 'Invalid', `${kind} ${quote(name ?? '')} is invalid: ${text}`, details);
}

function bodyOf({ type, value, detail }: FieldError): string {
  const shown = SILENT.has(type) ? WORDS[type] : `${WORDS[type]}: ${show(value)}`;
  return detail ? `${shown}: ${detail}` : shown;
}

/** As Go prints values in errors: strings quoted, objects as JSON. */
function show(value: unknown): string {
  if (value === undefined || value === null) return 'null';
  return JSON.stringify(value);
}

export function quote(text: string): string {
  return JSON.stringify(text);
}

/** Short constructors for the common cases. */
export const required = (field: string, detail = ''): FieldError => ({ type: 'FieldValueRequired', field, detail });
export const wrong = (field: string, value: unknown, detail: string): FieldError => ({
  type: 'FieldValueInvalid',
  field,
  value,
  detail,
});
export const banned = (field: string, detail: string): FieldError => ({ type: 'FieldValueForbidden', field, detail });
export const duplicate = (field: string, value: unknown): FieldError => ({ type: 'FieldValueDuplicate', field, value });
export function unsupported(field: string, value: unknown, choices: readonly string[]): FieldError {
  const detail = `supported values: ${choices.map(quote).join(', ')}`;
  return { type: 'FieldValueNotSupported', field, value, detail };
}

/** A failure without a reason of its own: what a real server says of errors that it did not foresee. */
export function plainError(code: number, message: string): KubeError {
  const error = new KubeError(code, 'InternalError', message);
  delete error.status.reason;
  return error;
}
