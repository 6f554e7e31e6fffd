import type { Duplex } from 'node:stream';
import { CHANNELS, SHELL_KEPT_BYTES, type ShellNotice, type ShellPlace, SOCKET_CLOSE } from '@berth/core/shell';
import { type ExecOutcome, execFrame, readExecOutcome } from '@berth/kube/client/exec';
import type { WebSocket } from 'ws';
import { createOutputRing } from './output-ring.ts';
import { endInWords, failureFrame, lacksShell, NO_SHELL } from './shell-command.ts';
import { closeSocket, createSender, writeTo } from './socket-copy.ts';

/**
 * One command that runs in a pod, and the client that looks at it, if any does at this moment. Frames are copied both ways as they are;
 * output is remembered besides, for a client that comes back. It ends once, with how: by itself, or because somebody ends it.
 */
export interface ShellSession {
  /** Resolves with the first end. */
  readonly ended: Promise<ShellEnd>;
  /** From now on this client has it; one that had it before is told. `offset` is what it has of the output already; absent, it is told nothing. */
  attach(socket: WebSocket, offset: number | undefined): void;
  /** Tells the client, now and whenever one comes, that it ends by itself soon. */
  announceEnd(secondsLeft: () => number): void;
  /** Cuts the command off. */
  end(how: ShellEnd): void;
}

export interface ShellEnd {
  code: number;
  /** For the client. */
  reason: string;
  outcome?: ExecOutcome;
}

export interface ShellOptions {
  pod: string;
  frames: Duplex;
  protocol: string;
  command: readonly string[];
  /** The client that had it has gone, without ending it. */
  onLeft(): void;
}

const FROM_CLIENT: ReadonlySet<number> = new Set([CHANNELS.stdin, CHANNELS.resize, CHANNELS.close]);
const NORMAL = 1000;
/** With these another server ends a shell whose rights it watches. */
const CUT_OFF: ReadonlySet<number> = new Set([SOCKET_CLOSE.accessRemoved, SOCKET_CLOSE.signedOut]);

export function createShellSession({ pod, frames, protocol, command, onLeft }: ShellOptions): ShellSession {
  const ring = createOutputRing(SHELL_KEPT_BYTES);
  let resolve: (how: ShellEnd) => void = () => undefined;
  const ended = new Promise<ShellEnd>((settle) => {
    resolve = settle;
  });
  let client: { socket: WebSocket; send(frame: Buffer): void; comesBack: boolean } | undefined;
  let secondsLeft: (() => number) | undefined;
  let end: ShellEnd | undefined;
  let outcome: ExecOutcome | undefined;
  /** The last message, also for a client that comes when all is over. */
  let lastFrame: Buffer | undefined;

  function finish(how: ShellEnd): void {
    if (end) return;
    end = how;
    frames.destroy();
    if (client) closeSocket(client.socket, how.code, how.reason);
    resolve(how);
  }

  frames.on('data', (frame: Buffer) => {
    const channel = frame[0];
    if (channel === CHANNELS.stdout || channel === CHANNELS.stderr) ring.push(frame);
    if (channel !== CHANNELS.error || frame.length === 1) {
      client?.send(frame);
      return;
    }
    outcome = readExecOutcome(frame.subarray(1));
    const noShell = outcome !== undefined && lacksShell(outcome, command);
    if (noShell) outcome = { exitCode: undefined, message: NO_SHELL };
    lastFrame = noShell ? failureFrame(NO_SHELL) : frame;
    client?.send(lastFrame);
  });
  const closed = () => {
    if (outcome) finish({ code: SOCKET_CLOSE.ended, reason: endInWords(outcome), outcome });
    else finish({ code: SOCKET_CLOSE.unavailable, reason: 'The connection to the pod broke off.' });
  };
  frames.once('end', closed);
  frames.once('close', closed);
  frames.on('error', closed);

  function receive(socket: WebSocket, data: Buffer): void {
    const channel = data[0];
    if (end || channel === undefined || !FROM_CLIENT.has(channel)) return;
    // Servers before 1.30 do not know it.
    if (channel === CHANNELS.close && protocol !== 'v5.channel.k8s.io') return;
    writeTo(socket, frames, data);
  }

  function leave(socket: WebSocket, code?: number): void {
    if (client?.socket !== socket) return;
    client = undefined;
    if (code !== undefined && CUT_OFF.has(code)) finish({ code, reason: 'its person may not have it any more' });
    else if (code === NORMAL) finish({ code: SOCKET_CLOSE.ended, reason: 'the client ended it' });
    else if (!end) onLeft();
  }

  function tellEnd(): void {
    if (!secondsLeft || !client?.comesBack || end) return;
    const notice: ShellNotice = { EndsInSeconds: secondsLeft() };
    client.send(execFrame(CHANNELS.resize, JSON.stringify(notice)));
  }

  return {
    ended,
    announceEnd(left) {
      secondsLeft = left;
      tellEnd();
    },
    attach(socket, offset) {
      if (client) closeSocket(client.socket, SOCKET_CLOSE.gone, 'This shell was opened in another place.');
      const send = createSender(socket, frames);
      client = { socket, send, comesBack: offset !== undefined };
      if (offset !== undefined) {
        const missed = ring.since(offset);
        send(execFrame(CHANNELS.resize, JSON.stringify({ Pod: pod, Offset: missed.offset } satisfies ShellPlace)));
        for (const frame of missed.frames) send(frame);
        if (lastFrame) send(lastFrame);
        tellEnd();
      }
      if (end) {
        closeSocket(socket, end.code, end.reason);
        return;
      }
      socket.on('message', (data: Buffer) => receive(socket, data));
      socket.once('close', (code) => leave(socket, code));
      if (socket.readyState === socket.CLOSED) leave(socket);
    },
    end: finish,
  };
}
