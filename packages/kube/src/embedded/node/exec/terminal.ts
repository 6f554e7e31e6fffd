import { readSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Readable, Writable } from 'node:stream';
import type { IPty } from '@lydell/node-pty';
import { type Clock, delay } from '../../../client/clock.ts';
import { KubeError } from '../../../schema/status.ts';
import type { TerminalSize } from '../../api/node-agent.ts';
import type { Launch } from '../process/container-process.ts';
import { identifyProcess } from '../process/process-identity.ts';

/** A program on a pseudo terminal, as streams that wait for each other. */
export interface Terminal {
  pid: number;
  input: Writable;
  output: Readable;
  resize(size: TerminalSize): void;
  /** Once all output has been read. */
  ended: Promise<{ code: number; signal: number }>;
}

const POLL_MS = 50;
const INPUT_RETRY_MS = 10;
/** What ends the input of whoever reads a terminal by lines. */
const END_OF_INPUT = 4;
const FIRST_SIZE = { columns: 80, rows: 24 };

export function openTerminal(launch: Launch, program: string, clock: Clock): Terminal {
  const [, ...parameters] = launch.argv;
  const { spawn } = terminalLibrary();
  const pty = asUser(launch, () =>
    spawn(program, parameters, {
      cwd: launch.directory,
      env: launch.environment,
      cols: FIRST_SIZE.columns,
      rows: FIRST_SIZE.rows,
      // As bytes: output need not be text.
      encoding: null,
      ...launch.user,
    }),
  );
  let open = true;
  // The library throws what nobody else listens for, from within an event: that would end the whole node.
  eventsOf(pty).on('error', () => undefined);
  eventsOf(pty).on('close', () => {
    open = false;
  });
  const ended = new Promise<{ code: number; signal: number }>((resolve) => {
    pty.onExit(({ exitCode, signal }) => resolve({ code: exitCode, signal: signal ?? 0 }));
  });
  return {
    pid: pty.pid,
    input: inputOf(pty, { isOpen: () => open, clock }),
    output: outputOf(pty, { ended, clock }),
    resize({ columns, rows }) {
      if (open) pty.resize(columns, rows);
    },
    ended,
  };
}

/** Loaded when first asked for: where it has no binary, a node without terminals is still a node. */
function terminalLibrary(): typeof import('@lydell/node-pty') {
  try {
    return createRequire(import.meta.url)('@lydell/node-pty');
  } catch (cause) {
    const message = `this node has no terminals on ${process.platform} ${process.arch}: run the command without one`;
    throw new KubeError(400, 'BadRequest', message, undefined, cause);
  }
}

/**
 * The library changes user and group but keeps the supplementary groups of this process. They are laid down for the instant in which
 * it forks; nothing else runs meanwhile.
 */
function asUser<T>(launch: Launch, fork: () => T): T {
  const { user } = launch;
  if (!user || !process.getgroups || !process.setgroups) return fork();
  const groups = process.getgroups();
  process.setgroups([user.gid]);
  try {
    return fork();
  } finally {
    process.setgroups(groups);
  }
}

/**
 * Written by hand: the library's own writing blocks this whole process while the program does not read. The descriptor does not block,
 * so what does not fit is tried again a little later.
 */
function inputOf(pty: IPty, { isOpen, clock }: { isOpen: () => boolean; clock: Clock }): Writable {
  const fd = descriptorOf(pty);
  async function write(data: Buffer): Promise<void> {
    let rest = data;
    while (rest.length > 0 && isOpen()) {
      const size = writeSome(fd, rest);
      rest = rest.subarray(size);
      if (size === 0) await delay(clock, INPUT_RETRY_MS);
    }
  }
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      write(chunk).then(() => done(), done);
    },
    final(done) {
      write(Buffer.from([END_OF_INPUT])).then(() => done(), done);
    },
  });
}

function writeSome(fd: number, data: Buffer): number {
  try {
    return writeSync(fd, data);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return 0;
    throw error;
  }
}

/**
 * What the program writes, and none of it lost: below the library, the end of a terminal is taken for the end of its output although
 * the kernel still holds some. So with each piece that comes, all that is there is read by hand. While nobody reads, the program is
 * not read either, until it has ended: a moment later its terminal is closed.
 */
function outputOf(pty: IPty, { ended, clock }: { ended: Promise<unknown>; clock: Clock }): Readable {
  let isPaused = false;
  const output = new Readable({
    read() {
      isPaused = false;
      pty.resume();
    },
  });
  async function watchPaused(): Promise<void> {
    while (isPaused) {
      await delay(clock, POLL_MS);
      if (isPaused && identifyProcess(pty.pid) === undefined) return pushRest(pty, output);
    }
  }
  // As bytes, since there is no encoding.
  pty.onData((data) => {
    output.push(data as unknown as Buffer);
    pushRest(pty, output);
    if (isPaused || output.readableLength < output.readableHighWaterMark) return;
    isPaused = true;
    pty.pause();
    watchPaused().catch((error: Error) => output.destroy(error));
  });
  ended.then(
    () => output.push(null),
    () => output.push(null),
  );
  return output;
}

/** More than a terminal holds: after the end of its program, all. */
const MOST_AT_ONCE_BYTES = 256 * 1024;
const SCRATCH = Buffer.allocUnsafe(64 * 1024);

function pushRest(pty: IPty, output: Readable): void {
  for (let total = 0; total < MOST_AT_ONCE_BYTES; ) {
    const size = readSome(descriptorOf(pty), SCRATCH);
    if (size === 0) return;
    output.push(Buffer.from(SCRATCH.subarray(0, size)));
    total += size;
  }
}

function readSome(fd: number, into: Buffer): number {
  try {
    return readSync(fd, into, 0, into.length, null);
  } catch (error) {
    // Nothing there now (EAGAIN), or never again (EIO: nobody has the other side open).
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EAGAIN' || code === 'EIO') return 0;
    throw error;
  }
}

/** The typed interface leaves it out. */
function descriptorOf(pty: IPty): number {
  return (pty as IPty & { fd: number }).fd;
}

/** Nor does it have the events of the socket below. */
function eventsOf(pty: IPty): { on(event: 'error' | 'close', listener: () => void): void } {
  return pty as unknown as ReturnType<typeof eventsOf>;
}
