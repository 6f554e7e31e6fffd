import { KubeError, type KubeStatus, type StatusReason } from '../schema/status.ts';

const REASONS: Record<number, StatusReason> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  406: 'NotAcceptable',
  409: 'Conflict',
  410: 'Gone',
  413: 'RequestEntityTooLarge',
  415: 'UnsupportedMediaType',
  422: 'Invalid',
  429: 'TooManyRequests',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};

const LONGEST_QUOTE = 200;

/** Makes the error of an answer that is no success: the server's Status, or one derived when a proxy answered instead. */
export function errorOfAnswer(request: string, httpStatus: number, body: string): KubeError {
  const status = parseStatus(body);
  if (status) return errorOfStatus(status, httpStatus);
  const text = body.trim().slice(0, LONGEST_QUOTE);
  const message = `${request} was answered with HTTP ${httpStatus} and no Status object${text === '' ? '' : `: ${text}`}`;
  return new KubeError(httpStatus, reasonOf(httpStatus), message);
}

export function errorOfStatus(status: Partial<KubeStatus>, httpStatus = 500): KubeError {
  const code = status.code ?? httpStatus;
  const message = status.message ?? `the API server answered with code ${code} and no message`;
  return new KubeError(code, status.reason ?? reasonOf(code), message, status.details);
}

/** What never got an answer: refused, reset, timed out, cut off, not trusted. */
export function transportError(request: string, cause: unknown): KubeError {
  return new KubeError(503, 'ServiceUnavailable', `${request} failed: ${describe(cause)}`, undefined, cause);
}

/** An answer that is not what Kubernetes sends. */
export function malformed(request: string, text: string, cause?: unknown): KubeError {
  const quote = JSON.stringify(text.slice(0, LONGEST_QUOTE));
  return new KubeError(
    500,
    'InternalError',
    `${request} was answered with what is not JSON: ${quote}`,
    undefined,
    cause,
  );
}

function parseStatus(body: string): Partial<KubeStatus> | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return isStatus(value) ? value : undefined;
  } catch {
    // Not JSON: a proxy's page. The caller quotes it.
    return undefined;
  }
}

export function isStatus(value: unknown): value is Partial<KubeStatus> {
  return typeof value === 'object' && value !== null && (value as { kind?: unknown }).kind === 'Status';
}

function reasonOf(code: number): StatusReason {
  return REASONS[code] ?? (code >= 500 ? 'InternalError' : 'BadRequest');
}

function describe(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  // Node says "AggregateError" without a message when every address of a name refused.
  const inner = cause instanceof AggregateError ? cause.errors[0] : cause.cause;
  const message = cause.message || cause.name;
  return inner instanceof Error && inner.message !== '' ? `${message} (${inner.message})` : message;
}
