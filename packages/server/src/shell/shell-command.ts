import { EXEC_CHANNELS, type ExecOutcome, execFrame } from '@berth/kube/client/exec';

/**
 * What runs when no command is given: bash where there is one, else the plain shell. No login shell: its profile would set PATH anew
 * and lose what the image put there.
 */
export const DEFAULT_COMMAND: readonly string[] = [
  '/bin/sh',
  '-c',
  'TERM=${TERM:-xterm-256color}; export TERM; if [ -x /bin/bash ]; then exec /bin/bash; fi; exec /bin/sh',
];

/** Runtimes say it in many ways; all name the program and that there is none. */
const NO_SUCH_PROGRAM = /no such file|not found|ENOENT/i;

export function lacksShell(outcome: ExecOutcome, command: readonly string[]): boolean {
  return command === DEFAULT_COMMAND && NO_SUCH_PROGRAM.test(outcome.message) && outcome.message.includes('/bin/sh');
}

export const NO_SHELL = 'This image has no shell: there is no /bin/sh in it. Give a command that it has.';

/** The last message of a shell that could not begin, as the pod itself would say it. */
export function failureFrame(message: string): Buffer {
  const status = { apiVersion: 'v1', kind: 'Status', metadata: {}, status: 'Failure', message };
  return execFrame(EXEC_CHANNELS.error, JSON.stringify(status));
}

/** How it ended, for people. */
export function endInWords({ exitCode, message }: ExecOutcome): string {
  if (exitCode !== undefined) return `ended with exit code ${exitCode}`;
  return message === '' ? 'ended' : message;
}
