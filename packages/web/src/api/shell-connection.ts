import {
  CHANNELS,
  COME_BACK,
  SHELL_KEPT_SECONDS,
  SHELL_PROTOCOL,
  type ShellNotice,
  type ShellPlace,
  SOCKET_CLOSE,
} from '@berth/core/shell';
import { urlOf } from './client.ts';
import { isProblem, messageOf, problemOf } from './problem.ts';

/**
 * A shell in a pod, through breaks of the connection: after one it comes back to the same shell and goes on after the last byte that
 * it has. What a browser does not tell about a handshake that was refused, a plain request to the same address does.
 */
export interface ShellConnection {
  send(text: string): void;
  resize(size: { columns: number; rows: number }): void;
  /** Ends the shell. */
  end(): void;
  /** Leaves it running for a while, to come back to. */
  leave(): void;
}

export type ShellState =
  | { kind: 'connecting' }
  | { kind: 'open' }
  | { kind: 'reconnecting' }
  /** `gone`: it was to come back to a shell that is not there any more. */
  | { kind: 'ended'; words: string; gone: boolean };

export interface ShellOptions {
  id: string;
  service: string;
  pod?: string;
  /** The name of this shell. */
  session: string;
  /** There is one of this name already, perhaps. */
  comeBack: boolean;
  onOutput: (bytes: Uint8Array) => void;
  onPlace: (place: { pod: string; missed: number }) => void;
  onState: (state: ShellState) => void;
  /** Its server stops: at that time (milliseconds) the shell ends, whatever it does. */
  onEndsAt: (time: number) => void;
  random?: () => number;
  Socket?: typeof WebSocket;
  ask?: (url: string) => Promise<Response>;
}

const FIRST_WAIT_MS = 300;
/** Another server has it: at once, only not all in one moment. */
const COME_BACK_WITHIN_MS = 300;
const LONGEST_WAIT_MS = 5_000;
/** Larger pastes go in parts: a message has a limit. */
const PART_BYTES = 16 * 1024;
/** After these nothing is left to come back to; whatever else closes a socket is a break. */
const FINAL: ReadonlySet<number> = new Set(Object.values(SOCKET_CLOSE));

export function connectShell(options: ShellOptions): ShellConnection {
  const { id, service, pod, session, onOutput, onPlace, onState } = options;
  const {
    random = Math.random,
    Socket = WebSocket,
    ask = (url: string) => fetch(url, { credentials: 'same-origin' }),
  } = options;
  const encoder = new TextEncoder();
  const decoder = new TextDecoder();
  let socket: WebSocket | undefined;
  let offset = options.comeBack ? 0 : undefined;
  let size: string | undefined;
  let lostAt: number | undefined;
  let tries = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let over = false;

  const address = () => urlOf('openShell', { params: { id }, query: { service, pod, session, offset } });

  function finish(words: string, gone = false): void {
    if (over) return;
    over = true;
    clearTimeout(timer);
    onState({ kind: 'ended', words, gone });
  }

  function write(channel: number, bytes: Uint8Array): void {
    if (socket?.readyState !== Socket.OPEN) return;
    const frame = new Uint8Array(bytes.length + 1);
    frame[0] = channel;
    frame.set(bytes, 1);
    socket.send(frame);
  }

  function receive(data: Uint8Array): void {
    const payload = data.subarray(1);
    if (data[0] === CHANNELS.stdout || data[0] === CHANNELS.stderr) {
      offset = (offset ?? 0) + payload.length;
      onOutput(payload);
    } else if (data[0] === CHANNELS.resize) {
      takeNews(JSON.parse(decoder.decode(payload)) as ShellPlace | ShellNotice);
    }
  }

  function takeNews(news: ShellPlace | ShellNotice): void {
    if ('EndsInSeconds' in news) {
      options.onEndsAt(Date.now() + news.EndsInSeconds * 1000);
      return;
    }
    onPlace({ pod: news.Pod, missed: Math.max(0, news.Offset - (offset ?? 0)) });
    offset = news.Offset;
  }

  async function afterRefusal(): Promise<void> {
    try {
      const response = await ask(address());
      const problem = await problemOf(response);
      // What it says to a plain request when nothing is wrong; and what passes by itself.
      const passes = response.status === 426 || response.status === 429 || response.status >= 502;
      if (isProblem(problem, 'conflict') && offset === undefined) {
        // It was opened, and its answer was lost on the way.
        offset = 0;
        later();
      } else if (isProblem(problem, 'unavailable') && lostAt === undefined) finish(problem.message);
      else if (passes) later();
      else finish(problem.message);
    } catch (error) {
      // Nobody answers: a break like any other.
      later(messageOf(error));
    }
  }

  function later(why?: string, code?: number): void {
    if (over) return;
    lostAt ??= Date.now();
    if (Date.now() - lostAt > SHELL_KEPT_SECONDS * 1000) {
      finish(`The connection was lost for longer than a shell is kept.${why ? ` ${why}` : ''}`, true);
      return;
    }
    onState({ kind: offset === undefined ? 'connecting' : 'reconnecting' });
    const wait = Math.min(FIRST_WAIT_MS * 2 ** tries++, LONGEST_WAIT_MS) * (0.5 + random() / 2);
    timer = setTimeout(open, code === COME_BACK && tries === 1 ? COME_BACK_WITHIN_MS * random() : wait);
  }

  function open(): void {
    const current = new Socket(address(), [SHELL_PROTOCOL]);
    socket = current;
    let opened = false;
    current.binaryType = 'arraybuffer';
    current.onopen = () => {
      opened = true;
      // From here on a shell of this name may be there.
      offset ??= 0;
      if (size) write(CHANNELS.resize, encoder.encode(size));
      onState({ kind: 'open' });
    };
    current.onmessage = ({ data }) => {
      // A server may open it and find that the one which holds the shell does not answer: only what comes from there counts.
      tries = 0;
      lostAt = undefined;
      receive(new Uint8Array(data as ArrayBuffer));
    };
    current.onclose = ({ code, reason }) => {
      if (over || socket !== current) return;
      if (FINAL.has(code)) finish(reason === '' ? 'ended' : reason, code === SOCKET_CLOSE.gone);
      else if (opened) later(undefined, code);
      else void afterRefusal();
    };
  }

  onState({ kind: 'connecting' });
  open();
  return {
    send(text) {
      const bytes = encoder.encode(text);
      for (let at = 0; at < bytes.length; at += PART_BYTES) {
        write(CHANNELS.stdin, bytes.subarray(at, at + PART_BYTES));
      }
    },
    resize({ columns, rows }) {
      size = JSON.stringify({ Width: columns, Height: rows });
      write(CHANNELS.resize, encoder.encode(size));
    },
    end() {
      finish('ended');
      socket?.close(SOCKET_CLOSE.ended);
    },
    leave() {
      over = true;
      clearTimeout(timer);
      // Without a code: so it is kept.
      socket?.close();
    },
  };
}
