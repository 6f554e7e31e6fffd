import { type IPty, spawn } from '@lydell/node-pty';

/** One running shell that any number of windows look at. What it wrote lately is kept for those who come later. */
export interface Shell {
  /** Gives what is kept, then all that comes. Returns how to stop. */
  watch(listener: ShellListener): () => void;
  write(input: string): void;
  resize(size: Size): void;
  end(): void;
}

export interface ShellListener {
  output(text: string): void;
  ended(): void;
}

export interface Size {
  columns: number;
  rows: number;
}

export interface ShellOptions {
  program: string;
  directory: string;
  environment: Record<string, string>;
  /** How much of the past is kept. */
  scrollbackCharacters: number;
}

export function startShell(options: ShellOptions): Shell {
  const listeners = new Set<ShellListener>();
  let kept = '';
  const pty: IPty = spawn(options.program, ['-l'], {
    name: 'xterm-256color',
    cols: 80,
    rows: 24,
    cwd: options.directory,
    env: options.environment,
  });
  let running = true;
  pty.onData((text) => {
    kept += text;
    // Cut now and then, and at a line, since half an escape sequence would colour the rest.
    if (kept.length > 2 * options.scrollbackCharacters) {
      const from = kept.length - options.scrollbackCharacters;
      kept = kept.slice(kept.indexOf('\n', from) + 1 || from);
    }
    for (const listener of listeners) listener.output(text);
  });
  pty.onExit(() => {
    running = false;
    for (const listener of listeners) listener.ended();
  });
  return {
    watch(listener) {
      listeners.add(listener);
      if (kept !== '') listener.output(kept);
      return () => void listeners.delete(listener);
    },
    write(input) {
      if (running) pty.write(input);
    },
    resize({ columns, rows }) {
      if (running) pty.resize(columns, rows);
    },
    end() {
      if (running) pty.kill('SIGHUP');
    },
  };
}
