import { type DestinationStream, type Logger, pino, stdTimeFunctions } from 'pino';

import { traceFields } from './tracing/spans.ts';

export type { Logger } from 'pino';

export interface LoggerOptions {
  /** The process: `server`, `operator`. */
  name: string;
  level: 'debug' | 'info' | 'warn' | 'error' | 'silent';
  destination?: DestinationStream;
}

/** Whatever is logged under these names is a secret or may hold one. */
const SECRET_FIELDS = ['password', 'token', 'secret', 'cookie', 'authorization', 'value', 'values', 'current', 'next'];

/** One JSON line an event: a constant message, everything variable in fields, secrets never. */
export function createLogger(options: LoggerOptions): Logger {
  const settings = {
    name: options.name,
    level: options.level,
    base: undefined,
    mixin: traceFields,
    timestamp: stdTimeFunctions.isoTime,
    redact: { paths: SECRET_FIELDS.flatMap((field) => [field, `*.${field}`, `*.*.${field}`]), censor: '[secret]' },
    serializers: { err: describeError, error: describeError },
  };
  return options.destination ? pino(settings, options.destination) : pino(settings);
}

interface DescribedError {
  type: string;
  message: string;
  code?: string;
  stack?: string;
  cause?: DescribedError;
}

/** Only what we know to be harmless: errors of libraries carry queries, bodies and settings in extra fields. */
function describeError(error: unknown): DescribedError {
  if (!(error instanceof Error)) return { type: typeof error, message: String(error) };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  return {
    type: error.name,
    message: error.message,
    ...(code !== undefined && { code }),
    ...(error.stack !== undefined && { stack: error.stack }),
    ...(error.cause !== undefined && { cause: describeError(error.cause) }),
  };
}
