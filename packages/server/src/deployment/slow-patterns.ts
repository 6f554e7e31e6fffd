import { runInNewContext } from 'node:vm';
import { invalidInput } from '@berth/core/errors';
import { type Parameter, type ParameterValue, patternOf } from '@berth/core/parameter';

/** For all values of a form together. What is checked later takes as long again. */
const MOST_MS = 200;

/**
 * A team writes the patterns of its templates, and some, such as `(a+)+`, take hours over thirty characters. This process answers all
 * teams, so each is tried first where it can be interrupted.
 */
export function refuseSlowPatterns(
  parameters: readonly Parameter[],
  values: Readonly<Record<string, ParameterValue | undefined>>,
): void {
  const until = performance.now() + MOST_MS;
  for (const parameter of parameters) {
    if (parameter.type !== 'text' || parameter.pattern === undefined) continue;
    const text = values[parameter.name] ?? parameter.default;
    if (typeof text !== 'string' || isMatchedIn(until - performance.now(), patternOf(parameter.pattern), text))
      continue;
    const message = `takes too long to be compared with the template's pattern ${parameter.pattern}; mend the pattern`;
    throw invalidInput('The form', [{ path: `values.${parameter.name}`, message }]);
  }
}

function isMatchedIn(milliseconds: number, pattern: RegExp, text: string): boolean {
  try {
    runInNewContext('pattern.test(text)', { pattern, text }, { timeout: Math.max(1, Math.round(milliseconds)) });
    return true;
  } catch (error) {
    // Of another realm, so no instance of our Error.
    if ((error as { code?: unknown }).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return false;
    throw error;
  }
}
