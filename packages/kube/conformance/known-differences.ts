import type { Difference } from './differences.ts';

/** A difference that is meant, or that costs more than it is worth. `case`, `step` and `path` may end in `*`. */
export interface KnownDifference {
  area: string;
  case: string;
  step: string;
  path: string;
  reason: string;
}

export const KNOWN_DIFFERENCES: readonly KnownDifference[] = [];

export function isKnown(known: KnownDifference, difference: Difference): boolean {
  return (['area', 'case', 'step', 'path'] as const).every((field) => fits(known[field], difference[field]));
}

function fits(pattern: string, text: string): boolean {
  return pattern.endsWith('*') ? text.startsWith(pattern.slice(0, -1)) : text === pattern;
}
