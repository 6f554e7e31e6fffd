import { type FieldError, unsupported, wrong } from '../errors.ts';
import { portName, portNumber } from './names.ts';

export function validatePortReference(port: unknown, field: string): FieldError[] {
  if (port === undefined) return [wrong(field, 0, 'must be between 1 and 65535, inclusive')];
  const problems = typeof port === 'string' ? portName(port) : portNumber(port);
  return problems.map((problem) => wrong(field, port, problem));
}

export function named(value: unknown, check: (value: string) => string[], field: string): FieldError[] {
  return value === undefined || value === '' ? [] : check(String(value)).map((problem) => wrong(field, value, problem));
}

export function choice(value: unknown, choices: string[], field: string): FieldError[] {
  return value === undefined || choices.includes(String(value)) ? [] : [unsupported(field, value, choices)];
}

export function negative(value: unknown, field: string): FieldError[] {
  return typeof value === 'number' && value < 0 ? [wrong(field, value, 'must be greater than or equal to 0')] : [];
}
