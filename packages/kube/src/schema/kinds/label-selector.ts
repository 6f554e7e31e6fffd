import type { LabelSelector } from './workload.ts';

/** An absent selector matches nothing, an empty one everything: as the API defines it. */
export function matchesSelector(selector: LabelSelector | undefined, labels: Record<string, string> = {}): boolean {
  if (!selector) return false;
  const exact = Object.entries(selector.matchLabels ?? {}).every(([key, value]) => labels[key] === value);
  return exact && (selector.matchExpressions ?? []).every((expression) => matchesExpression(expression, labels));
}

function matchesExpression(
  expression: NonNullable<LabelSelector['matchExpressions']>[number],
  labels: Record<string, string>,
): boolean {
  const present = Object.hasOwn(labels, expression.key);
  const values = expression.values ?? [];
  switch (expression.operator) {
    case 'Exists':
      return present;
    case 'DoesNotExist':
      return !present;
    case 'In':
      return present && values.includes(labels[expression.key] ?? '');
    case 'NotIn':
      return !present || !values.includes(labels[expression.key] ?? '');
    default:
      return false;
  }
}
