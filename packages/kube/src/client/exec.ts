import type { Duplex } from 'node:stream';
import { POD } from '../schema/resources.ts';
import { KubeError, type KubeStatus } from '../schema/status.ts';
import type { KubeClient } from './client.ts';
import { objectPath } from './paths.ts';

/**
 * Runs a command in a container, over a WebSocket. Every message is binary and begins with the byte of its channel:
 *
 *     0 stdin     to the command; `255 0` closes it (v5 only)
 *     1 stdout    2 stderr (none with a terminal: it has one output)
 *     3 error     one Status in JSON, the last message: how the command ended, or why it could not begin
 *     4 resize    `{"Width":80,"Height":24}`
 *
 * The first message is empty, on the lowest channel that there is: the command runs.
 */
export const EXEC_CHANNELS = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4, close: 255 } as const;

export type ExecProtocol = 'v5.channel.k8s.io' | 'v4.channel.k8s.io';

export interface ExecOptions {
  namespace: string;
  pod: string;
  /** May be left out for a pod with one container. */
  container?: string;
  command: readonly string[];
  tty?: boolean;
  stdin?: boolean;
  /** What to offer, the preferred first; v5 and then v4 when absent. A server before 1.30 knows v4 only. */
  protocols?: readonly ExecProtocol[];
  /** Cuts the connection, also later; the command ends with it. */
  signal?: AbortSignal;
}

export interface ExecSession {
  protocol: ExecProtocol;
  /**
   * Whole messages both ways, each with its channel's byte: a chunk read is one message, and so is a chunk written. Pauses the other
   * side when nobody reads. Ends when the server closes; `end()` closes, `destroy()` cuts.
   */
  frames: Duplex;
}

/** Resolves once the socket is open. Rejects with a KubeError that carries the server's Status. */
export async function exec(client: Pick<KubeClient, 'socket'>, options: ExecOptions): Promise<ExecSession> {
  const { namespace, pod, container, tty = false, stdin = false, signal } = options;
  if (options.command.length === 0) throw new KubeError(400, 'BadRequest', 'command is empty: name what to run');
  const query = new URLSearchParams(options.command.map((word) => ['command', word]));
  if (container) query.set('container', container);
  query.set('stdin', String(stdin));
  query.set('stdout', 'true');
  query.set('stderr', String(!tty));
  query.set('tty', String(tty));
  const path = `${objectPath(POD, { namespace, name: pod }, 'exec')}?${query}`;
  const protocols = options.protocols ?? (['v5.channel.k8s.io', 'v4.channel.k8s.io'] as const);
  const { protocol, frames } = await client.socket(path, { protocols, ...(signal && { signal }) });
  return { protocol: protocol as ExecProtocol, frames };
}

export function execFrame(channel: number, payload: Uint8Array | string): Buffer {
  return Buffer.concat([Buffer.from([channel]), typeof payload === 'string' ? Buffer.from(payload) : payload]);
}

export interface ExecOutcome {
  /** 0 when it ended well; undefined when it never ran or nobody knows. */
  exitCode: number | undefined;
  message: string;
}

/** Reads what comes on the error channel, without its channel byte. Undefined for the empty message at the beginning. */
export function readExecOutcome(payload: Uint8Array): ExecOutcome | undefined {
  if (payload.length === 0) return undefined;
  const text = Buffer.from(payload).toString('utf8');
  let status: Partial<KubeStatus>;
  try {
    status = JSON.parse(text) as Partial<KubeStatus>;
  } catch {
    // An old runtime says it in plain words.
    return { exitCode: undefined, message: text };
  }
  if (status.status === 'Success') return { exitCode: 0, message: '' };
  const cause = status.details?.causes?.find(({ reason }) => reason === 'ExitCode');
  const code = Number(cause?.message);
  return { exitCode: cause && Number.isInteger(code) ? code : undefined, message: status.message ?? text };
}
