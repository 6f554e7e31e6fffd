import { z } from 'zod';

/**
 * Every failure that Berth reports has one of these codes. Codes are stable and never reused; messages may change.
 * `status` is for HTTP, `retry` says whether the same request may succeed later without a change.
 */
export const ERROR_CODES = {
  invalid_input: { status: 400, title: 'Something in the request is not right', retry: false },
  unauthenticated: { status: 401, title: 'Sign in first', retry: false },
  bad_credentials: { status: 401, title: 'The e-mail or the password is not right', retry: false },
  forbidden: { status: 403, title: 'Your role does not allow this', retry: false },
  foreign_origin: { status: 403, title: 'This request came from another site', retry: false },
  limit_reached: { status: 403, title: 'The plan allows no more', retry: false },
  not_found: { status: 404, title: 'There is no such thing, or you may not see it', retry: false },
  method_not_allowed: { status: 405, title: 'This address does not take that method', retry: false },
  name_taken: { status: 409, title: 'That name is taken', retry: false },
  host_taken: { status: 409, title: 'That address is taken', retry: false },
  conflict: { status: 409, title: 'Somebody else changed this meanwhile', retry: false },
  idempotency_mismatch: { status: 422, title: 'This key was used for a different request', retry: false },
  payload_too_large: { status: 413, title: 'The request is too large', retry: false },
  unsupported_media_type: { status: 415, title: 'Send JSON', retry: false },
  foreign_host: { status: 421, title: 'This server does not answer for that host', retry: false },
  upgrade_required: { status: 426, title: 'This address speaks WebSocket', retry: false },
  rate_limited: { status: 429, title: 'Too many requests', retry: true },
  internal: { status: 500, title: 'Something broke on our side', retry: true },
  unavailable: { status: 503, title: 'A part that this needs is not answering', retry: true },
} as const;

export type ErrorCode = keyof typeof ERROR_CODES;

/** One wrong field: `path` as in `services[0].env[2].name`, `message` says what is wrong and what would be right. */
export const fieldErrorSchema = z.object({ path: z.string(), message: z.string() });
export type FieldError = z.infer<typeof fieldErrorSchema>;

/** RFC 9457 problem details, the body of every failed answer. */
export const problemSchema = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    code: z.enum(Object.keys(ERROR_CODES) as [ErrorCode, ...ErrorCode[]]),
    fields: z.array(fieldErrorSchema).optional(),
    /** With `limit_reached`: how many there are and how many the plan allows. */
    limit: z.object({ resource: z.string(), used: z.number(), allowed: z.number() }).optional(),
    /** With `forbidden`: the missing right and who can grant it. */
    right: z.object({ permission: z.string(), grantedBy: z.string() }).optional(),
    /** With `name_taken` and `host_taken`: a free one. */
    suggestion: z.string().optional(),
    requestId: z.string().optional(),
  })
  .meta({ id: 'Problem' });
export type Problem = z.infer<typeof problemSchema>;

export interface BerthErrorDetails {
  fields?: FieldError[];
  limit?: Problem['limit'];
  right?: Problem['right'];
  suggestion?: string;
  /** At a client: how long the server asked to wait. */
  retryAfterSeconds?: number;
  cause?: unknown;
  /** For logs only: never sent to a client. */
  internal?: string;
}

/** The one error class. `message` is for people: plain words, and what to do. Compare `code`, never the text. */
export class BerthError extends Error {
  readonly code: ErrorCode;
  readonly details: BerthErrorDetails;

  constructor(code: ErrorCode, message: string, details: BerthErrorDetails = {}) {
    super(message, { cause: details.cause });
    this.name = 'BerthError';
    this.code = code;
    this.details = details;
  }

  get status(): number {
    return ERROR_CODES[this.code].status;
  }
}

export function toProblem(error: BerthError, requestId?: string): Problem {
  const { fields, limit, right, suggestion } = error.details;
  const { status, title } = ERROR_CODES[error.code];
  return {
    type: `https://berth.dev/problems/${error.code}`,
    title,
    status,
    detail: error.message,
    code: error.code,
    ...(fields && { fields }),
    ...(limit && { limit }),
    ...(right && { right }),
    ...(suggestion && { suggestion }),
    ...(requestId && { requestId }),
  };
}

export function isBerthError(error: unknown, code?: ErrorCode): error is BerthError {
  return error instanceof BerthError && (code === undefined || error.code === code);
}

/** Turns what zod found into one error that names every field. `what` is the subject: "The deployment". */
export function invalidInput(what: string, issues: readonly FieldError[]): BerthError {
  const [first] = issues;
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : '';
  const where = first && first.path !== '' ? `${first.path}: ` : '';
  return new BerthError('invalid_input', `${what} is not right: ${where}${first?.message ?? 'see fields'}${more}`, {
    fields: [...issues],
  });
}
