import { isBerthError } from '@berth/core/errors';
import {
  CHANNELS,
  COME_BACK,
  SHELL_KEPT_SECONDS,
  SHELL_PROTOCOL,
  type ShellNotice,
  type ShellPlace,
  SOCKET_CLOSE,
} from '@berth/core/shell';
import type { WebSocket } from 'ws';
import type { ApiClient } from './api-client.ts';
import { createComeBack } from './come-back.ts';
import type { CliContext } from './context.ts';
import { CliError, EXIT_CODES } from './exit-codes.ts';
import { refusalOf } from './socket-refusal.ts';

export interface ShellTarget {
  id: string;
  service: string;
  command: readonly string[];
  /** A terminal of its own; without one output and errors come apart. */
  tty: boolean;
  /** Whether our standard input goes to the command. */
  stdin: boolean;
}

/** Not all in one moment. */
const MOVE_ON_WITHIN_MS = 300;

/** Runs a command in a service with this terminal and resolves to its exit code. A connection that breaks is taken up again. */
export async function runRemoteShell(context: CliContext, client: ApiClient, target: ShellTarget): Promise<number> {
  const session = comesBack(target) ? context.newId() : undefined;
  const { terminal, signal } = context;
  const comeBack = createComeBack(context, {
    giveUpAfterMs: SHELL_KEPT_SECONDS * 1000,
    signal,
    words: target.tty ? '\r\nthe connection broke; coming back\r\n' : 'the connection broke; coming back\n',
  });
  /** Undefined until there is a shell to come back to. */
  let offset: number | undefined;
  if (target.tty) terminal.setRaw(true);
  try {
    for (;;) {
      const end = await attach(context, client, { target, session, offset, onNews: comeBack.arrived });
      if (end.opened) offset = (end.from ?? offset ?? 0) + end.bytes;
      if (end.exitCode !== undefined) return end.exitCode;
      // It was opened, and its answer was lost on the way.
      if (isBerthError(end.failure, 'conflict') && offset === undefined) offset = 0;
      else if (end.failure) throw end.failure;
      if (session === undefined || signal.aborted) throw new CliError(EXIT_CODES.failure, 'the connection broke');
      const error = new CliError(EXIT_CODES.failure, 'the connection broke');
      await comeBack.pause({ error, ...(end.movesOn && { retryMs: MOVE_ON_WITHIN_MS * context.random() }) });
    }
  } finally {
    if (target.tty) terminal.setRaw(false);
  }
}

/** Standard input that was on its way when the connection broke is lost: at a terminal one sees that, in a pipe one does not. */
function comesBack({ tty, stdin }: ShellTarget): boolean {
  return tty || !stdin;
}

interface End {
  /** Where its output began, should the server have said so. */
  from?: number;
  /** Of output, over this connection. */
  bytes: number;
  opened: boolean;
  /** Another server goes on. */
  movesOn: boolean;
  exitCode?: number;
  failure?: Error;
}

interface Attempt {
  target: ShellTarget;
  session: string | undefined;
  offset: number | undefined;
  onNews(): void;
}

function attach(context: CliContext, client: ApiClient, { target, session, offset, onNews }: Attempt): Promise<End> {
  const { terminal } = context;
  const { url, headers } = client.socketRequest('openShell', {
    params: { id: target.id },
    query: {
      service: target.service,
      ...(target.command.length > 0 && { command: [...target.command] }),
      tty: target.tty ? 'true' : 'false',
      stdin: target.stdin ? 'true' : 'false',
      session,
      offset,
    },
  });
  const socket = context.openSocket(url, { headers, protocol: SHELL_PROTOCOL });
  const end: End = { bytes: 0, opened: false, movesOn: false };

  const send = (channel: number, bytes: Uint8Array) => socket.send(Buffer.concat([Buffer.from([channel]), bytes]));
  const sendSize = () => {
    const size = terminal.size();
    if (size) send(CHANNELS.resize, Buffer.from(JSON.stringify({ Width: size.columns, Height: size.rows })));
  };
  const type = (bytes: Buffer) => send(CHANNELS.stdin, bytes);
  const closeInput = () => send(CHANNELS.close, Buffer.from([CHANNELS.stdin]));

  return new Promise((resolve) => {
    let forgetResize: (() => void) | undefined;
    socket.on('open', () => {
      end.opened = true;
      if (target.tty) {
        sendSize();
        forgetResize = terminal.onResize(sendSize);
      }
      if (!target.stdin) return;
      terminal.input.on('data', type);
      terminal.input.once('end', closeInput);
      terminal.input.resume();
    });
    socket.on('message', (data: Buffer) => {
      onNews();
      takeFrame(context, end, data);
    });
    socket.on('unexpected-response', (_request, response) => {
      void refusalOf(response).then((failure) => {
        end.failure = failure;
        socket.terminate();
      });
    });
    // What is wrong shows in `close`, which always follows.
    socket.on('error', () => undefined);
    socket.on('close', (code, reason) => {
      forgetResize?.();
      terminal.input.off('data', type);
      terminal.input.off('end', closeInput);
      terminal.input.pause();
      end.movesOn = code === COME_BACK && end.opened;
      if (isFinal(code) && end.exitCode === undefined) {
        end.failure ??= new CliError(EXIT_CODES.failure, reason.toString('utf8') || 'the shell ended');
      }
      resolve(end);
    });
    cutOnAbort(context.signal, socket);
  });
}

function takeFrame(context: CliContext, end: End, data: Buffer): void {
  const bytes = data.subarray(1);
  switch (data[0]) {
    case CHANNELS.stdout:
      end.bytes += bytes.length;
      context.terminal.writeBytes(bytes, 'output');
      return;
    case CHANNELS.stderr:
      end.bytes += bytes.length;
      context.terminal.writeBytes(bytes, 'notes');
      return;
    case CHANNELS.resize:
      takeNews(context, end, JSON.parse(bytes.toString('utf8')) as ShellPlace | ShellNotice);
      return;
    case CHANNELS.error:
      Object.assign(end, readStatus(bytes));
      return;
  }
}

function takeNews({ output }: CliContext, end: End, news: ShellPlace | ShellNotice): void {
  if ('Offset' in news) {
    end.from = news.Offset;
    return;
  }
  output.note(`\r\nthe server that holds this shell is being replaced: it ends in ${news.EndsInSeconds} s\r\n`);
}

interface Status {
  status?: string;
  reason?: string;
  message?: string;
  details?: { causes?: { reason?: string; message?: string }[] };
}

/** The Status with which Kubernetes ends a command. */
function readStatus(bytes: Buffer): Pick<End, 'exitCode' | 'failure'> {
  const status = JSON.parse(bytes.toString('utf8')) as Status;
  if (status.status === 'Success') return { exitCode: 0 };
  const code = status.details?.causes?.find(({ reason }) => reason === 'ExitCode')?.message;
  if (status.reason === 'NonZeroExitCode' && code !== undefined) return { exitCode: Number(code) };
  return { failure: new CliError(EXIT_CODES.failure, status.message ?? 'the command could not be run') };
}

function isFinal(code: number): boolean {
  return Object.values<number>(SOCKET_CLOSE).includes(code) && code !== SOCKET_CLOSE.unavailable;
}

function cutOnAbort(signal: AbortSignal, socket: WebSocket): void {
  const cut = () => socket.terminate();
  signal.addEventListener('abort', cut, { once: true });
  socket.on('close', () => signal.removeEventListener('abort', cut));
}
