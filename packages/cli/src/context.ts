import type { Readable } from 'node:stream';
import type { WebSocket } from 'ws';

/** Everything that a command touches outside of itself; `main.ts` gives the real ones, tests their own. */
export interface CliContext {
  environment: Readonly<Record<string, string | undefined>>;
  currentDirectory: string;
  /** Where profiles are kept. */
  configDirectory: string;
  hostname: string;
  version: string;
  nodeVersion: string;
  fetch: typeof fetch;
  /** The addresses of a host name; none when it is not found. */
  resolve(host: string): Promise<string[]>;
  isRunning(pid: number): boolean;
  now(): Date;
  wait(milliseconds: number, signal?: AbortSignal): Promise<void>;
  newId(): string;
  /** In [0, 1). */
  random(): number;
  output: CliOutput;
  input: CliInput;
  terminal: CliTerminal;
  /** The connection of a shell or of a forwarded port; the token is in the headers. */
  openSocket(url: string, options: { headers: Record<string, string>; protocol: string }): WebSocket;
  openInBrowser(url: string): Promise<void>;
  /** `berth up` and `berth admin` are the server's own program, in this process. */
  runServer(mode: 'up' | 'admin', parameters: readonly string[]): Promise<void>;
  /** Aborted by Ctrl-C. */
  signal: AbortSignal;
}

/** The terminal itself, byte for byte: for shells. */
export interface CliTerminal {
  input: Readable;
  writeBytes(bytes: Uint8Array, to: 'output' | 'notes'): void;
  /** Keys go out as they are typed, Ctrl-C too; undone by calling with false. */
  setRaw(raw: boolean): void;
  size(): { columns: number; rows: number } | undefined;
  onResize(callback: () => void): () => void;
}

export interface CliOutput {
  /** What was asked for, to standard output. */
  write(text: string): void;
  /** Progress and errors, to standard error, so that a pipe carries only results. */
  note(text: string): void;
  /** Colours are for people at a terminal. */
  colours: boolean;
}

export interface CliInput {
  isTerminal: boolean;
  ask(question: string): Promise<string>;
  /** Shows nothing of what is typed. */
  askHidden(question: string): Promise<string>;
  /** All of standard input, byte for byte. */
  readAll(): Promise<Buffer>;
}
