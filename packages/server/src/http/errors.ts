import { BerthError, isBerthError } from '@berth/core/errors';
import { isDatabaseUnavailable } from '../db/errors.ts';

/** 1.5 MiB: a template of a megabyte, as JSON, and no more. */
export const BODY_LIMIT_BYTES = 1.5 * 1024 * 1024;

/** PostgreSQL has no text with a NUL character, nor JSON with one: https://www.postgresql.org/docs/current/datatype-json.html */
const UNSTORABLE_TEXT = new Set(['22021', '22P05']);

/** Whatever was thrown, as the one error that may be told. What is unknown stays unknown to the client. */
export function toBerthError(error: unknown): BerthError {
  if (isBerthError(error)) return error;
  const { code, statusCode } = factsOf(error);
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    return new BerthError('payload_too_large', `A request takes at most ${BODY_LIMIT_BYTES} bytes; send less`);
  }
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    return new BerthError('unsupported_media_type', 'Send JSON with the header "content-type: application/json"');
  }
  if (code !== undefined && UNSTORABLE_TEXT.has(code)) {
    return new BerthError('invalid_input', 'The request holds a NUL character, which no text here may; remove it');
  }
  if (isDatabaseUnavailable(error)) {
    return new BerthError('unavailable', 'The database is not answering; try again in a moment', { cause: error });
  }
  if (code?.startsWith('FST_ERR_') && statusCode !== undefined && statusCode < 500) {
    return new BerthError('invalid_input', 'The request cannot be read; check its address, headers and length', {
      cause: error,
    });
  }
  return new BerthError(
    'internal',
    'Something broke on our side, and it has been logged; try again, or tell an administrator the request id',
    { cause: error },
  );
}

function factsOf(error: unknown): { code?: string; statusCode?: number } {
  if (typeof error !== 'object' || error === null) return {};
  const { code, statusCode } = error as { code?: unknown; statusCode?: unknown };
  return {
    code: typeof code === 'string' ? code : undefined,
    statusCode: typeof statusCode === 'number' ? statusCode : undefined,
  };
}
