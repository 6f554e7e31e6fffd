/** The `Status` object that a Kubernetes API server answers with when a request fails. */
export interface KubeStatus {
  apiVersion: 'v1';
  kind: 'Status';
  metadata: Record<string, never>;
  status: 'Success' | 'Failure';
  message?: string;
  reason?: StatusReason;
  details?: KubeStatusDetails;
  code: number;
}

export interface KubeStatusDetails {
  name?: string;
  group?: string;
  kind?: string;
  uid?: string;
  causes?: { reason?: string; message?: string; field?: string }[];
  retryAfterSeconds?: number;
}

export type StatusReason =
  | 'BadRequest'
  | 'Unauthorized'
  | 'Forbidden'
  | 'NotFound'
  | 'AlreadyExists'
  | 'Conflict'
  | 'Gone'
  | 'Expired'
  | 'Invalid'
  | 'ServerTimeout'
  | 'Timeout'
  | 'TooManyRequests'
  | 'MethodNotAllowed'
  | 'NotAcceptable'
  | 'RequestEntityTooLarge'
  | 'UnsupportedMediaType'
  | 'InternalError'
  | 'ServiceUnavailable';

/** A failed request, on either side of the wire. Compare `reason` or `code`, never the text. */
export class KubeError extends Error {
  readonly status: KubeStatus;

  constructor(
    code: number,
    reason: StatusReason | undefined,
    message: string,
    details?: KubeStatusDetails,
    cause?: unknown,
  ) {
    super(message, { cause });
    this.name = 'KubeError';
    this.status = { apiVersion: 'v1', kind: 'Status', metadata: {}, status: 'Failure', message, code };
    if (reason) this.status.reason = reason;
    if (details) this.status.details = details;
  }

  get code(): number {
    return this.status.code;
  }

  get reason(): StatusReason | undefined {
    return this.status.reason;
  }
}

export function isKubeError(error: unknown, reason: StatusReason): error is KubeError {
  return error instanceof KubeError && error.reason === reason;
}

/**
 * Whether something is too large to be stored, now and for ever. Where it is the store that says so, a server passes its words on as
 * an error of its own (500, without a reason), so here the text has to be looked at.
 */
export function isTooLarge(error: unknown): boolean {
  if (!(error instanceof KubeError)) return false;
  if (error.code === 413 || error.reason === 'RequestEntityTooLarge') return true;
  return (
    error.code === 500 && /etcdserver: request is too large|trying to send message larger than max/.test(error.message)
  );
}
