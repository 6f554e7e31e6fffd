import type { ErrorCode } from '@berth/core/errors';

/** What scripts may rely on. `berth --help` shows this table. */
export const EXIT_CODES = {
  ok: 0,
  failure: 1,
  usage: 2,
  notFound: 3,
  denied: 4,
  limit: 5,
  timeout: 6,
} as const;
export type ExitCode = (typeof EXIT_CODES)[keyof typeof EXIT_CODES];

export const EXIT_CODE_HELP = `Exit codes:
  0  done
  1  failed
  2  the command or a value in it is not right
  3  there is no such thing, or you may not see it
  4  not signed in, or not allowed
  5  the plan allows no more
  6  not done in time`;

/** A failure of the command itself. The message says what to do. */
export class CliError extends Error {
  readonly exitCode: ExitCode;

  constructor(exitCode: ExitCode, message: string) {
    super(message);
    this.name = 'CliError';
    this.exitCode = exitCode;
  }
}

/** A command that ran in a service ended with this code, which becomes ours. It has said itself what there was to say. */
export class RemoteExit extends Error {
  readonly code: number;

  constructor(code: number) {
    super(`the command ended with ${code}`);
    this.name = 'RemoteExit';
    this.code = code;
  }
}

export function exitCodeOf(code: ErrorCode): ExitCode {
  switch (code) {
    case 'invalid_input':
    case 'payload_too_large':
      return EXIT_CODES.usage;
    case 'not_found':
      return EXIT_CODES.notFound;
    case 'unauthenticated':
    case 'bad_credentials':
    case 'forbidden':
    case 'foreign_origin':
      return EXIT_CODES.denied;
    case 'limit_reached':
      return EXIT_CODES.limit;
    default:
      return EXIT_CODES.failure;
  }
}
