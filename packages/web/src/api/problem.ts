import { ERROR_CODES, type ErrorCode, type Problem, problemSchema } from '@berth/core/errors';
import { isGonePart, NEWER_RELEASE } from './release.ts';

/** What went wrong with a call. `message` is for people; compare `code`. */
export class BerthProblem extends Error {
  readonly problem: Problem;

  constructor(problem: Problem, cause?: unknown) {
    super(problem.detail, { cause });
    this.name = 'BerthProblem';
    this.problem = problem;
  }

  get code(): ErrorCode {
    return this.problem.code;
  }
}

export function isProblem(error: unknown, code?: ErrorCode): error is BerthProblem {
  return error instanceof BerthProblem && (code === undefined || error.code === code);
}

/** A sentence for any failure, ours or not. */
export function messageOf(error: unknown): string {
  if (isGonePart(error)) return NEWER_RELEASE;
  return error instanceof Error && error.message !== '' ? error.message : ERROR_CODES.internal.title;
}

export function unreachable(cause: unknown): BerthProblem {
  return localProblem('unavailable', 'Berth cannot be reached. Check that it runs and that you are online.', cause);
}

/** Reads the body of a failed answer. Something in between (a proxy's error page) gets words of our own. */
export async function problemOf(response: Response): Promise<BerthProblem> {
  const text = await response.text();
  const parsed = problemSchema.safeParse(jsonOrUndefined(text));
  if (parsed.success) return new BerthProblem(parsed.data);
  const code = codeForStatus(response.status);
  return localProblem(code, `${ERROR_CODES[code].title} (the server answered ${response.status}).`);
}

function localProblem(code: ErrorCode, detail: string, cause?: unknown): BerthProblem {
  const { status, title } = ERROR_CODES[code];
  return new BerthProblem({ type: `https://berth.dev/problems/${code}`, title, status, detail, code }, cause);
}

function codeForStatus(status: number): ErrorCode {
  const codes = Object.keys(ERROR_CODES) as ErrorCode[];
  return codes.find((code) => ERROR_CODES[code].status === status) ?? (status < 500 ? 'invalid_input' : 'unavailable');
}

function jsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // Not ours; the caller has words for that.
  }
}
