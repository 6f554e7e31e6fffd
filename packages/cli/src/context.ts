/** Everything that a command touches outside of itself; `main.ts` gives the real ones, tests their own. */
export interface CliContext {
  environment: Readonly<Record<string, string | undefined>>;
  currentDirectory: string;
  /** Where profiles are kept. */
  configDirectory: string;
  hostname: string;
  version: string;
  fetch: typeof fetch;
  now(): Date;
  wait(milliseconds: number, signal?: AbortSignal): Promise<void>;
  newId(): string;
  output: CliOutput;
  input: CliInput;
  openInBrowser(url: string): Promise<void>;
  /** `berth up` and `berth admin` are the server's own program, in this process. */
  runServer(mode: 'up' | 'admin', parameters: readonly string[]): Promise<void>;
  /** Aborted by Ctrl-C. */
  signal: AbortSignal;
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
