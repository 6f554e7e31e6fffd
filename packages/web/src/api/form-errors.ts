import type { FieldError } from '@berth/core/errors';
import { isProblem } from './problem.ts';

/** Errors of a form: by field for beside it, and in words for the list on top. */
export interface FormProblem {
  /** As the form names it: `name`, `values.title`. */
  path: string;
  message: string;
}

/**
 * Our messages continue the field's name ("is required", "needs at least 8 characters"); a template's own hint is a
 * sentence. Both become one.
 */
export function sentenceFor(label: string, message: string): string {
  if (/^(is|are|needs|takes|must|has|holds|belongs|cannot|contains|was)\b/.test(message)) return `${label} ${message}`;
  return message.charAt(0).toUpperCase() + message.slice(1);
}

/** Splits what the server found wrong into what belongs to a field of this form and what does not. */
export function splitProblem(
  error: unknown,
  isField: (path: string) => boolean,
): { fields: FormProblem[]; rest: FieldError[] } {
  const all = isProblem(error) ? (error.problem.fields ?? []) : [];
  return {
    fields: all.filter((each) => isField(each.path)),
    rest: all.filter((each) => !isField(each.path)),
  };
}

/** The id of a field's control. */
export function fieldId(path: string): string {
  return `field-${path.replaceAll('.', '-')}`;
}
