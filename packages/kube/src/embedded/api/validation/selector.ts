import type { LabelSelector } from '../../../schema/label-selector.ts';
import { banned, type FieldError, required, wrong } from '../errors.ts';
import { labelValue, qualifiedName } from './names.ts';

export function validateSelector(selector: LabelSelector, field: string): FieldError[] {
  const errors = Object.entries(selector.matchLabels ?? {}).flatMap(([key, value]) => [
    ...qualifiedName(key).map((problem) => wrong(`${field}.matchLabels`, key, problem)),
    ...labelValue(value).map((problem) => wrong(`${field}.matchLabels`, value, problem)),
  ]);
  (selector.matchExpressions ?? []).forEach(({ key, operator, values = [] }, at) => {
    const path = `${field}.matchExpressions[${at}]`;
    if (operator === 'In' || operator === 'NotIn') {
      if (values.length === 0)
        errors.push(required(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'"));
    } else if (operator === 'Exists' || operator === 'DoesNotExist') {
      if (values.length > 0)
        errors.push(banned(`${path}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
    } else errors.push(wrong(`${path}.operator`, operator, 'not a valid selector operator'));
    errors.push(...qualifiedName(key ?? '').map((problem) => wrong(`${path}.key`, key, problem)));
  });
  return errors;
}
